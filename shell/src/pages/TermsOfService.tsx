import { Link } from '@iodine/ui/router'
import { useShell } from '../app/HostProvider'
import { LegalPage } from './LegalPage'

/** Over 80 lines, as it is one text. */
export function TermsOfService() {
  const { product_name: product } = useShell().config
  return (
    <LegalPage
      title="Terms of Service"
      contact="For any question about these terms, write to"
      sections={{
        'About the service': (
          <p>
            {product} is a platform for collecting and curating indicators of disinformation (IODs). It is a
            non-commercial student research project based in Paris, France, for narrative analysis and
            deception detection. It is a beta version: functions may change, and a beta invitation code may be
            asked for at sign-in. By using {product} you accept these terms.
          </p>
        ),
        Accounts: (
          <p>
            You sign in by a link sent to your email address; there is no password. Keep access to your
            mailbox safe and don't share sign-in links, extension codes or your session. You choose a public
            username, which you can change later. One person, one account; you are responsible for all use of
            yours. On My Profile you may change its email address, which both addresses must confirm, and
            delete it at any time. Accounts inactive for 12 months are deleted.
          </p>
        ),
        'Acceptable use': (
          <>
            <p>You agree not to:</p>
            <ul>
              <li>break the law, or the rights of others;</li>
              <li>harass people or publish their private data;</li>
              <li>create IODs or cast votes in bad faith, or manipulate the results;</li>
              <li>spread disinformation by way of the platform;</li>
              <li>attack, overload or probe the service, or get around its limits;</li>
              <li>collect content from sources in breach of the terms that bind you there.</li>
            </ul>
          </>
        ),
        'Content and data': (
          <p>
            You answer for what you collect, submit and publish. IODs, campaigns, votes and your public
            profile are visible to the other users, who may vote on IODs, group them into campaigns and export
            these. Collected data and narratives are yours to delete; IODs made from them stay. We may remove
            content that breaks these terms.
          </p>
        ),
        'Intellectual property': (
          <p>
            You keep your rights in what you write. You allow us to store, display and process it within the
            platform and for non-commercial research, free of charge and for as long as it is on the platform.
            Content collected from other sources belongs to its authors and is used for analysis and research.
            The software and its name belong to the project.
          </p>
        ),
        'Free service': (
          <p>
            {product} is free: there are no paid plans and no billing. If that were to change, users would be
            notified of any pricing change in advance and could leave. Narrative extraction uses your own AI
            provider key; what the provider charges for it is between you and the provider.
          </p>
        ),
        Availability: (
          <p>
            We do our best to keep the service running but promise no availability. It may be interrupted,
            changed or ended, for maintenance or permanently. Export your data: My Profile has a download of
            everything that is stored about you.
          </p>
        ),
        Privacy: (
          <p>
            How we handle personal data is described in our <Link to="/privacy-policy">Privacy Policy</Link>.
          </p>
        ),
        Liability: (
          <p>
            The service is provided as it is, for research. IODs, votes and extracted narratives are the work
            of users and of automatic analysis: they may be wrong and are no statement of fact by the project.
            As far as the law allows, we are not liable for indirect damage, loss of data, or decisions taken
            on the basis of this content.
          </p>
        ),
        Termination: (
          <p>
            You may stop using the service, and delete your account, at any time: on My Profile, confirmed by
            a link that we mail to you. It is deleted 7 days later, unless you sign in before and keep it;
            until then your public profile and shared content stay unchanged. We may suspend or delete an
            account that breaks these terms, without that delay. On deletion your personal data is removed as
            described in the Privacy Policy; backups are purged within 30 days.
          </p>
        ),
        'Governing law': (
          <p>
            These terms are governed by French law. Failing an amicable settlement, disputes go to the courts
            of Paris, subject to the rights that the law gives to consumers.
          </p>
        ),
        'Changes to these terms': (
          <p>
            We may change these terms as the project evolves. The date at the top shows when they last
            changed, and we notify users of important changes before they take effect. Using the service
            afterwards means accepting them.
          </p>
        ),
      }}
    />
  )
}
