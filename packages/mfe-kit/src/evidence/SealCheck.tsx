import type { Seal } from '@iodine/contracts'
import { useQuery } from '@iodine/mfe-kit/query'
import { Callout, LoadingPanel } from '@iodine/ui'
import { CrossCircleIcon, TickCircleIcon } from '@iodine/ui/icons'
import { useHost } from '../define-parcel'
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
        query={query.error ? { ...query, data: undefined } : query}
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
  return (
    <Callout
      intent={holds ? 'success' : 'danger'}
      icon={false}
      title={holds ? 'The seal holds' : 'The seal does not hold'}
    >
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
      {holds ? (
        <>
          <p>
            <strong>Proved:</strong> an account’s collector handed over{' '}
            {isOpened ? 'this content' : 'a capture with this fingerprint'} by {received}, and it is unchanged
            since.
          </p>
          <p>
            <strong>Not proved:</strong> that the site served it: the collector reads what is in a browser.
            Against the operator of this server only an outside time stamp proves the time
            {checkpoint.anchors.length > 0
              ? `; this state of the log has one of ${formatInstant(checkpoint.anchors[0]?.at ?? '')}, which stands in the WACZ and is not checked here.`
              : ', and this state of the log has none.'}
          </p>
        </>
      ) : (
        <p>
          Something was changed after it was sealed, on the server or on its way to you. Don’t rely on this
          piece; tell the team of this server.
        </p>
      )}
    </Callout>
  )
}
