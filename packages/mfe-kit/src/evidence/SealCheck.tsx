import type { Seal } from '@iodine/contracts'
import { useQuery } from '@iodine/mfe-kit/query'
import { Callout, LoadingPanel } from '@iodine/ui'
import { CrossCircleIcon, TickCircleIcon } from '@iodine/ui/icons'
import { useHost } from '../use-host'
import { withData } from '../with-data'
import type { QuotedPlace, SealReport } from './check-seal'
import styles from './evidence.module.css'
import { formatInstant } from './format-instant'

export interface SealCheckProps {
  seal: Seal
  /** The capture whose content may be read, and what is quoted of it. */
  opened: { captureId: string; quote: QuotedPlace | null } | undefined
}

/** Checks a seal in the browser, and says in words what that proves, and what it does not. */
export function SealCheck({ seal, opened }: SealCheckProps) {
  const { api } = useHost()
  const query = useQuery({
    queryKey: ['seal-check', seal, opened ?? null],
    queryFn: async (): Promise<SealReport> => {
      // Browsers have it in a secure context alone.
      if (!crypto.subtle) throw new InsecureContext()
      const { checkSeal } = await import('./check-seal')
      return checkSeal(api, seal, opened)
    },
    // Each press checks anew.
    gcTime: 0,
    retry: false,
  })
  return (
    <section className={styles.report} aria-label="Verification" aria-live="polite">
      <LoadingPanel
        // A result that could not be checked again holds no longer.
        query={withData(query, query.error ? undefined : query.data)}
        loadingLabel="Checking…"
        errorTitle="The seal could not be checked"
        errorText={
          query.error instanceof InsecureContext
            ? 'Browsers check seals only on pages that are opened by https.'
            : undefined
        }
      >
        {report => <Report report={report} seal={seal} isOpened={opened !== undefined} />}
      </LoadingPanel>
    </section>
  )
}

class InsecureContext extends Error {}

function Report({ report, seal, isOpened }: { report: SealReport; seal: Seal; isOpened: boolean }) {
  const { checks, holds, checkpoint } = report
  const received = formatInstant(seal.received_at)
  const [anchor] = checkpoint.anchors
  const list = (
    <ul className={styles.checks}>
      {checks.map(({ name, ok, says }) => (
        <li key={name}>
          {ok ? (
            <TickCircleIcon className={styles.good} title="Holds:" />
          ) : (
            <CrossCircleIcon className={styles.bad} title="Fails:" />
          )}
          <span>{says}</span>
        </li>
      ))}
    </ul>
  )
  if (!holds)
    return (
      <Callout intent="danger" icon={false} title="The seal does not hold">
        {list}
        <p>
          Something was changed after it was sealed, on the server or on its way to you. Don’t rely on this
          piece; tell the team of this server.
        </p>
      </Callout>
    )
  return (
    <>
      <Callout className={styles.verdict} intent="warning" icon={false} title="What the seal cannot prove">
        <p>
          <strong>Not proved:</strong> that the site served it. The collector copies what a browser shows, and
          people can change that before.
        </p>
        <p>
          <strong>Not proved:</strong> the time, if you don’t trust the team of this server.{' '}
          {anchor
            ? `An outside time stamp of ${formatInstant(anchor.at)} stands in the WACZ; it is not checked here.`
            : 'Only an outside time stamp would prove it, and there is none yet.'}
        </p>
      </Callout>
      <Callout className={styles.verdict} intent="success" icon={false} title="The seal holds">
        <p>
          <strong>Proved:</strong> an account’s collector handed over{' '}
          {isOpened ? 'this content' : 'a capture with this fingerprint'} by {received}, and it is unchanged
          since.
        </p>
        <details>
          <summary>What was checked</summary>
          {list}
        </details>
      </Callout>
    </>
  )
}
