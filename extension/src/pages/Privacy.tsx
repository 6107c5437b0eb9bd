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
          hashes of their pictures; with them, where the page says it, when a post was published, whether it
          was edited, what it was forwarded from, its links and addresses of pictures, and the text of an
          article. If you switched on “Recognize pictures again”, the collector loads those pictures from
          where they are, without your cookies, and sends hashes of how they look. Only when you press
          Collect, or on a page where you switched on Keep collecting, until you switch it off, leave the site
          or close the tab.
        </li>
        <li>
          <strong>A capture of what you collect</strong>, unless you switched that off in the options: the
          text and the HTML of the post or article as your browser shows it, without scripts and form fields;
          the record; the pictures that the page may read itself, from the browser’s cache or loaded once more
          (of those above 2 MiB the hash alone); with “Collect this post” or “Collect this article” also a
          picture of the visible part of the page; the page’s address without what follows #, and the time. It
          is made when you press Collect, and when you create an IOD with + IOD, then of the post or article
          around the selected words, or else of the whole page. Keep collecting makes none.
        </li>
        <li>
          <strong>Nothing of the pages on which known IODs are marked</strong>: every few minutes the
          collector downloads what has changed of all IODs and campaigns, the same for everybody, and compares
          the page’s words with that here in the browser. Which pages you read, and what is on them, is not
          sent.
        </li>
        <li>
          <strong>IODs that you create</strong> from selected text, with the address of the page (without its
          query), and the selected words as their evidence.
        </li>
        <li>
          <strong>The code</strong> that signs you in, and from then on the session that it was exchanged for.
        </li>
      </ul>
      <h2>Who sees a capture</h2>
      <p>
        The server seals it and keeps it for you alone. If words of it are evidence of an IOD, every signed-in
        person sees these words with a little of what stands around them, the page’s whole address, the times
        and the number of the seal; the capture itself only if you share it. On a page behind a sign-in, a
        capture may hold what only you are shown: look at it before you share it.
      </p>
      <h2>What stays in the browser</h2>
      <ul>
        <li>
          The session, where no page can read it. It may only collect and capture, look IODs up, create IODs,
          add evidence and read your profile.
        </li>
        <li>
          What is known of all IODs, where you have known IODs marked: hashes of their values, their votes and
          campaigns. It is deleted when you sign out.
        </li>
        <li>
          Records and captures that wait to be sent, captures up to 200 MB, and a list of what was sent. The
          content of a capture is deleted here once it is sealed.
        </li>
        <li>Everything else of pages that you don’t collect from: no history, no cookies, no passwords.</li>
      </ul>
      <h2>What a page can notice</h2>
      <p>
        While you keep collecting on a short-video page, its own requests for lists are passed on to the
        collector, which the page could find out. Where known IODs are marked, a page could find out that, but
        not which of its words are; what opens when you click marked words, and the form that opens beside a
        selected text, are seen to be there while they are open. That form is part of the page as far as the
        keyboard goes: a page could notice what you type into it, though not read the rest of it.
      </p>
      <h2>To delete it all</h2>
      <p>
        Remove the extension: everything that it keeps in the browser goes with it. What was collected is
        deleted in My data, with its captures, unless words of them are evidence: those are deleted by
        themselves, from the record’s “Sealed” mark or from the evidence. Of a deleted capture, the quoted
        words and one number in the log of seals stay.
      </p>
    </main>
  )
}
