import { useShell } from '../app/HostProvider'
import { LegalPage } from './LegalPage'

/** Over 80 lines, as it is one text. */
export function PrivacyPolicy() {
  const { product_name: product } = useShell().config
  return (
    <LegalPage
      title="Privacy Policy"
      contact="For any question about this policy, or to use your rights, write to"
      sections={{
        'Data controller': (
          <p>
            {product} is a non-commercial student research project on narrative analysis and deception
            detection, based in Paris, France. The project team decides why and how the personal data
            described here is processed. You can contact it at the email address at the end of this page.
          </p>
        ),
        'Data we collect': (
          <>
            <p>
              <strong>Account.</strong> Your email address, the username you choose (optional and public),
              whether you are an administrator or suspended, the dates of creation and of last activity, the
              beta invitation code you used, and temporary authentication tokens: sign-in links (15 minutes,
              only a fingerprint is stored) and sessions (30 days), with the names of browser and system and
              the last use. Passkeys, API tokens and feed keys that you create: their names, when they were
              created and last used, and a public key or a fingerprint. While you change your email address,
              the new one, for a day at most.
            </p>
            <p>
              <strong>Use of the platform.</strong> The content that you enter:
            </p>
            <ul>
              <li>
                texts you submit for narrative analysis, their source, and the triplets extracted from them;
              </li>
              <li>indicators of disinformation (IODs) you create, with their description and source;</li>
              <li>campaigns you create and the IODs in them;</li>
              <li>
                your votes and comments, with the users that a comment mentions. Other users see them; you can
                delete your comments, and choose to delete all of them with your account;
              </li>
              <li>graph interactions: the filters you send, used to answer you and not stored.</li>
            </ul>
            <p>
              <strong>Browser extension.</strong> Temporary authentication codes only (5 minutes). The
              extension doesn't record your browsing. When you choose to collect a post or an article, that
              public content and its public author details are sent to your account and listed under My data.
              If the page contains them, so are its publication time, edits, origin of a forwarded post, text,
              links, and URLs and hashes of pictures. On sites where you switch on marking, your browser
              compares pages with a downloaded list of all IODs; nothing of those pages is sent.
            </p>
            <p>
              <strong>Origins.</strong> So that you can find where content first appeared, the records that
              you collect are indexed by fingerprints of their texts, their links and their pictures, with
              account, URL and times of the post. Other users find your records only if you share them, record
              by record, under your name or anonymously. If you take part in anonymous counts, a daily
              snapshot counts you among the users who collected the same content. If you search for co-shares,
              the results from your records and from shared ones are kept for 30 days, for you alone; a file
              that you open for the search stays in your browser.
            </p>
            <p>
              <strong>Watches and notifications.</strong> What you watch, and what you were notified of, for
              90 days. If you switch them on: mails with links but without titles, in your time zone, and the
              URL of your webhook with an encrypted secret. The operator of that URL receives your
              notifications. Nobody sees whom or what you watch.
            </p>
            <p>
              <strong>Captures.</strong> Content of a page that a collector uploads in your name: its text,
              its HTML without scripts and form fields, its pictures, a screenshot of the visible part, its
              URL. The browser extension does so when you press Collect or create an IOD from selected words,
              unless you switch that off; never during continuous collection. The server seals each capture
              with the time of its arrival.
            </p>
            <p>
              <strong>Evidence.</strong> The words that you quote for an IOD from a capture, a record or an
              analyzed text, with a short context, the URL of the page and the times.
            </p>
            <p>
              <strong>AI provider key.</strong> If you add one, it is stored encrypted and never shown again.
            </p>
            <p>
              <strong>Technical data.</strong> Your network address is used for a few minutes to limit the
              number of requests. Technical logs record requests and errors, never your texts, keys or tokens.
              An audit log records administration, changes to accounts, such as a download of your data or a
              new email address, and content that members share, export, import or remove for others. An entry
              contains the time, the account's number, the network (a shortened network address) and the
              action, but no names, email addresses or texts.
            </p>
            <p>We collect no passwords, no social network credentials and no tracking cookies.</p>
          </>
        ),
        'Purpose of processing': (
          <ul>
            <li>to sign you in and keep your account safe;</li>
            <li>to collect, curate, vote on, group and export indicators of disinformation;</li>
            <li>to extract narratives from the texts you submit and to draw their graph;</li>
            <li>to show public profiles and contributions to the other signed-in users;</li>
            <li>to run, protect and improve a research platform on disinformation.</li>
          </ul>
        ),
        'Legal basis under the GDPR': (
          <ul>
            <li>
              <strong>Contract</strong> (Article 6(1)(b)): data that is needed to provide the service you sign
              in to.
            </li>
            <li>
              <strong>Consent</strong> (Article 6(1)(a)): data that you choose to provide, such as a public
              username, an AI provider key or content sent by the extension. You may withdraw it at any time.
            </li>
            <li>
              <strong>Legitimate interest</strong> (Article 6(1)(f)): security, prevention of abuse, and
              non-commercial research on disinformation.
            </li>
          </ul>
        ),
        'Recipients and third parties': (
          <>
            <p>
              IODs, campaigns, votes and public profiles are visible to the other signed-in users. Your email
              address never is. Collected data and the full texts of narratives are listed to you alone; once
              you have a public username, your profile shows the beginning of each analyzed text, and others
              can view the graph built from your narratives. Of evidence, the other signed-in users see the
              quoted words with their context, the URL, the times, the seal and who added it; they see the
              captured page itself only if you share it, until you stop sharing. Of a record that you share
              for Origins they see the post, the beginning of its text and when you collected it, with your
              username. Of one that you share anonymously they see the day, and not your name. Of records that
              you don't share they see nothing. If you take part in anonymous counts, they see how many users
              collected the same content (3–5, 6–10, 11–20 or more), and the month of the earliest record.
            </p>
            <p>
              <strong>Public reports.</strong> If this site publishes reports, a member can hand in a report
              of a campaign. An administrator reviews it, then anybody can read it, also without an account.
              It contains the values of the campaign’s IODs, counts of votes without names, and quotes of
              captures with their defanged URL and day. Usernames, names of people, IP addresses, and values
              that contain an email address, phone number or IBAN are held back, unless author and reviewer
              decide otherwise for one value, with a reason. It names its author only if they sign it. It
              contains descriptions that you wrote only if you agree under My Profile, Data. If it contains
              your IODs or evidence, you are notified and have 72 hours to take them out. A published report
              can be corrected or withdrawn. Archives and search engines copy public pages: no withdrawal
              reaches their copies.
            </p>
            <p>We rely on these kinds of providers, who act on our behalf or at your request:</p>
            <ul>
              <li>database hosting (USA);</li>
              <li>web hosting (USA);</li>
              <li>AI text analysis (USA), only for texts you submit;</li>
              <li>email services (Switzerland).</li>
            </ul>
            <p>We sell no data and show no advertising.</p>
          </>
        ),
        'International transfers': (
          <p>
            Some of these providers process data in the United States. Such transfers rest on the European
            Commission's standard contractual clauses or on an adequacy decision. Switzerland is recognised by
            the Commission as giving adequate protection.
          </p>
        ),
        Retention: (
          <ul>
            <li>Account data is kept as long as the account exists.</li>
            <li>
              Accounts that stay inactive for 12 months are deleted; we send an email 30 days before, and
              signing in keeps the account.
            </li>
            <li>
              Sign-in links expire after 15 minutes, extension codes after 5 minutes, sessions after 30 days,
              or in a browser after 14 days without use. Passkeys and feed keys are kept until you remove
              them, API tokens until 30 days after their end.
            </li>
            <li>
              An export of your data is kept for a day. A change of your email address that is not confirmed
              from both addresses is deleted after a day.
            </li>
            <li>
              When you delete your account, it is deleted 7 days after you confirm, unless you sign in and
              keep it before. Until then you are signed out, and the account stays unchanged.
            </li>
            <li>
              Collected data, captures, narratives and your AI provider key are kept until you delete them. A
              capture that evidence quotes stays when its record is deleted; you can delete it by itself.
            </li>
            <li>
              Proposals of techniques are kept for 7 days, with the text that you pasted for them, and shown
              to you alone. The words of a proposal that you accept stay in the campaign, where all members
              see them, also those of a private narrative; you can delete them there.
            </li>
            <li>
              When an account is deleted, its profile, sessions, passkeys, tokens, keys, collected data and
              narratives are removed, with their entries in Origins, and so are its captures, except those
              that you shared: these stay without an owner. Its IODs, votes, campaigns and the words quoted as
              evidence or for techniques stay without your name, and its comments unless you chose to delete
              them. Only the random number of the account is kept, marked as deleted.
            </li>
            <li>
              The log of seals keeps one number for each capture, which reveals nothing once the capture is
              deleted. People who are quoted in evidence can write to us to have the words and the capture
              removed.
            </li>
            <li>
              The audit log is kept for 12 months, also after an account is deleted: it names accounts by a
              random number alone.
            </li>
            <li>Backups are purged within 30 days of a deletion.</li>
          </ul>
        ),
        'Your rights': (
          <>
            <p>
              You have the right to access your data, to correct it, to have it deleted, to restrict or object
              to its processing, to receive it in a portable form, and to withdraw your consent.
            </p>
            <p>
              You can change your username and your email address, download everything that is stored about
              you, and delete your AI provider key, collected data, captures, evidence, narratives and your
              account yourself, on My Profile and where they are listed. For everything else write to us: we
              answer within 30 days. You may also lodge a complaint with the French authority, the CNIL
              (cnil.fr).
            </p>
          </>
        ),
        Security: (
          <p>
            Sign-in needs no password: each link works once and only for a short time. Sessions can be ended
            at once. AI provider keys are encrypted where they are stored and decrypted only at the moment of
            an analysis. Access to the data is limited to the project team. No system is perfectly safe: if a
            breach puts your rights at risk, we will notify you and the authority as the law requires.
          </p>
        ),
        Cookies: (
          <p>
            {product} uses no cookies, neither its own nor third parties', and no trackers. Your session token
            is kept in your browser's local storage under the name access_token. It is removed when you log
            out.
          </p>
        ),
        'AI provider integration': (
          <p>
            Narrative extraction uses the AI provider OpenAI with your own key. When you ask for an analysis,
            the text you submitted is sent to the provider with your key, under the provider's own terms and
            privacy policy. When you ask your AI provider to propose techniques, the sentences of the text,
            narrative or quotes that you chose are sent; proposals by rules send nothing. Nothing else is
            sent, and nothing is sent without your request. Don't submit confidential texts or personal data
            that you have no right to share.
          </p>
        ),
        'Policy updates': (
          <p>
            We may update this policy as the project evolves. The date at the top shows when it last changed.
            If a change affects your rights, we will notify you by email or in the application before it takes
            effect.
          </p>
        ),
      }}
    />
  )
}
