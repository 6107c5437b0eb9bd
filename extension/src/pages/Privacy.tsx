import { PRODUCT_NAME } from '@iodine/contracts'
import styles from './Popup.module.css'

/** The privacy note: which data leaves the browser, and which does not. */
export function Privacy() {
  return (
    <main className={styles.page}>
      <h1>{PRODUCT_NAME} collector: privacy</h1>
      <p>
        The collector talks to one server: the one named in its options. It has no analytics, loads no code
        from elsewhere, and fetches nothing in your name beyond what is listed here.
      </p>
      <h2>What leaves the browser</h2>
      <ul>
        <li>
          <strong>Posts and articles that you collect</strong>: the fields that My data shows, and SHA-256
          hashes of their pictures. Only when you press Collect, or on a page where you switched on Keep
          collecting, until you switch it off, leave the site or close the tab.
        </li>
        <li>
          <strong>Words and phrases that are on your screen</strong>, on the sites where you switched on Mark
          known IODs: the server is asked which of them are IODs. It gets the words, not the page’s address,
          and keeps nothing of them.
        </li>
        <li>
          <strong>IODs that you create</strong> from selected text, with the address of the page (without its
          query).
        </li>
        <li>
          <strong>The code</strong> that signs you in, and from then on the session that it was exchanged for.
        </li>
      </ul>
      <h2>What stays in the browser</h2>
      <ul>
        <li>
          The session, where no page can read it. It may only collect, look IODs up, create IODs and read your
          profile.
        </li>
        <li>Records that wait to be sent, and a list of what was sent.</li>
        <li>Everything of pages that you don’t collect from: no history, no cookies, no passwords.</li>
      </ul>
      <h2>What a page can notice</h2>
      <p>
        While you keep collecting on a short-video page, its own requests for lists are passed on to the
        collector, which the page could find out. Where known IODs are marked, the page could find out which
        of its words are. The form that opens beside a selected text is part of the page as far as the
        keyboard goes: a page could notice what you type into it, though not read the rest of it.
      </p>
      <h2>To delete it all</h2>
      <p>
        Remove the extension: everything that it keeps in the browser goes with it. What was collected is
        deleted in My data.
      </p>
    </main>
  )
}
