import type { Seal } from '@iodine/contracts'
import { useQuery } from '@iodine/mfe-kit/query'
import { Button, Callout, LoadingPanel } from '@iodine/ui'
import { CrossCircleIcon, EndorsedIcon, TickCircleIcon } from '@iodine/ui/icons'
import { useState } from 'react'
import { useHost } from '../use-host'
import { withData } from '../with-data'
import type { QuoteLocation, SealReport } from './check-seal'
import styles from './evidence.module.css'
import { formatInstant } from './format-instant'

interface SealCheckProps {
  seal: Seal
  /** The readable capture and its quote, if the content is open to the user. */
  opened: { captureId: string; quote: QuoteLocation | null } | undefined
}

/** Returns the button that checks a seal, and the result of its last press. Both are null without a seal. */
export function useSealCheck(seal: Seal | null | undefined, opened: SealCheckProps['opened']) {
  const [checks, setChecks] = useState(0)
  if (!seal) return { button: null, report: null }
  const button = (
    <Button
      size="small"
      intent="primary"
      icon={<EndorsedIcon size={14} />}
      text="Verify"
      title="Checks in your browser that the content has not changed since it was sealed"
      onClick={() => setChecks(checks + 1)}
    />
  )
  return { button, report: checks > 0 ? <SealCheck key={checks} seal={seal} opened={opened} /> : null }
}

/** Checks a seal in the browser, and explains what the result proves and does not prove. */
function SealCheck({ seal, opened }: SealCheckProps) {
  const { api } = useHost()
  const query = useQuery({
    queryKey: ['seal-check', seal, opened ?? null],
    queryFn: async (): Promise<SealReport> => {
      // Browsers provide `crypto.subtle` only in a secure context.
      if (!crypto.subtle) throw new InsecureContext()
      const { checkSeal } = await import('./check-seal')
      return checkSeal(api, seal, opened)
    },
    // Each press repeats the check.
    gcTime: 0,
    retry: false,
  })
  return (
    <section className={styles.report} aria-label="Verification" aria-live="polite">
      <LoadingPanel
        // A failed repetition invalidates the previous result.
        query={withData(query, query.error ? undefined : query.data)}
        loadingLabel="Checking…"
        errorTitle="Unable to check the seal"
        errorText={
          query.error instanceof InsecureContext
            ? 'Browsers can check seals only on pages that are opened over HTTPS.'
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
      {checks.map(({ name, ok, finding }) => (
        <li key={name}>
          {ok ? (
            <TickCircleIcon className={styles.good} title="Holds:" />
          ) : (
            <CrossCircleIcon className={styles.bad} title="Fails:" />
          )}
          <span>{finding}</span>
        </li>
      ))}
    </ul>
  )
  if (!holds)
    return (
      <Callout intent="danger" icon={false} title="The seal does not hold">
        {list}
        <p>
          The content, the seal or the log was changed, on the server or in transit. Don’t rely on this
          evidence, and inform the team of this server.
        </p>
      </Callout>
    )
  return (
    <>
      <Callout className={styles.verdict} intent="warning" icon={false} title="What the seal cannot prove">
        <p>
          <strong>Not proved:</strong> that the site served it. The extension copies what the browser shows,
          and a user can change the page before the capture.
        </p>
        <p>
          <strong>Not proved:</strong> the time of receipt, if you don’t trust the team of this server.{' '}
          {anchor
            ? `The WACZ file contains an independent timestamp of ${formatInstant(anchor.at)}, which is not checked here.`
            : 'Only an independent timestamp would prove it, and there is none yet.'}
        </p>
      </Callout>
      <Callout className={styles.verdict} intent="success" icon={false} title="The seal holds">
        <p>
          <strong>Proved:</strong> an account’s browser extension delivered{' '}
          {isOpened ? 'this content' : 'a capture with this fingerprint'} to this server by {received}, and it
          is unchanged since.
        </p>
        <details>
          <summary>What was checked</summary>
          {list}
        </details>
      </Callout>
    </>
  )
}
