import { PRODUCT_NAME } from '@iodine/contracts'
import styles from './Popup.module.css'

/** The privacy note: which data leaves the browser, and which does not. Over 80 lines, as it is one text. */
export function Privacy() {
  return (
    <main className={styles.page}>
      <h1>{PRODUCT_NAME} collector: privacy</h1>
      <p>
        The collector sends data to one server: the server in its options. It has no analytics and loads no
        code from other servers. This page lists all its requests.
      </p>
      <h2>Data that leaves the browser</h2>
      <ul>
        <li>
          <strong>Posts and articles that you collect</strong>: the fields that My data shows, and SHA-256
          hashes of their pictures. If the page contains them, also: the time of publication, whether the post
          was edited, the source of a forwarded post, links, picture URLs, and the text of an article. If you
          switched on “Recognize repeated pictures”, the collector loads those pictures again from their
          hosts, without your cookies, and sends their SHA-256 and perceptual hashes. It sends these data only
          when you press Collect, or on a page where Keep collecting is on: until you switch it off, leave the
          site or close the tab.
        </li>
        <li>
          <strong>A capture of the page</strong>, unless you switched captures off in the options. It is made
          when you press Collect, and when you create or quote an IOD with + IOD: then of the post or article
          around the selected words, or else of the whole page. It contains the text and the HTML as your
          browser shows them, without scripts and form fields; the record; the pictures that the page can
          read, from the browser’s cache or loaded again (above 2 MiB only the hash); the time; and the page’s
          URL, with the part after # only if it names a page, such as #/news. “Collect this post” and “Collect
          this article” add a screenshot of the visible part of the page. Keep collecting makes no captures.
        </li>
        <li>
          <strong>Nothing of the pages on which known IODs are marked</strong>: every five minutes the
          collector downloads the changes of all IODs and campaigns, the same for every user. It compares the
          page’s text with them in the browser. The server does not learn which pages you read or what they
          contain.
        </li>
        <li>
          <strong>IODs that you create</strong> from selected text, with the page’s URL (without tracking
          parameters), and the selected words as their evidence.
        </li>
        <li>
          <strong>The code</strong> that signs you in, and then the session token with each request.
        </li>
      </ul>
      <h2>Who sees a capture</h2>
      <p>
        The server seals the capture and stores it for you only. If words of it are evidence of an IOD, every
        signed-in user sees these words with some text around them, the page’s full URL, the times and the
        number of the seal. Other users see the capture itself only if you share it. A capture of a page that
        requires a sign-in can contain content that only you can see: check it before you share it.
      </p>
      <h2>Data that stays in the browser</h2>
      <ul>
        <li>
          The session, which no page can read. It permits only to collect and capture, to look up, download
          and create IODs, to add evidence, and to read your profile.
        </li>
        <li>
          If you have known IODs marked: hashes of the values of all IODs, their votes and campaigns. Signing
          out deletes them.
        </li>
        <li>
          Records and captures that wait to be sent (captures: up to 200 MiB), and a list of the sent ones.
          The content of a capture is deleted here once it is sealed.
        </li>
        <li>All other content of pages. The collector reads no history, cookies or passwords.</li>
      </ul>
      <h2>What a page can detect</h2>
      <p>
        While Keep collecting is on, a short-video page can detect that the collector reads the lists that the
        page requests. A page can detect that known IODs are marked on it, but not which words. It can detect
        that the card of clicked words, or the form beside selected text, is open. The page receives keyboard
        events of that form: it can detect what you type there, but can’t read the form’s other content.
      </p>
      <h2>How to delete all data</h2>
      <p>
        Remove the extension: this deletes its data in the browser. Delete collected records in My data: this
        also deletes their captures, except captures whose words are evidence. Delete those from the record’s
        “Sealed” mark or from the evidence. The quoted words of a deleted capture, and one hash in the log of
        seals, are kept.
      </p>
    </main>
  )
}
