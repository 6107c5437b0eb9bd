import type { CaptureSummary } from '@iodine/contracts'
import { Card, DateTime, EmptyState, Facts, formatCount, LoadingPanel, SourceLink, Tag } from '@iodine/ui'
import { EndorsedIcon } from '@iodine/ui/icons'
import { SideDrawer, useKeptFocus } from '../side-drawer'
import { EraseButton, ShareButton, WaczButton } from './CaptureActions'
import { FACT_HELP } from './EvidencePiece'
import styles from './evidence.module.css'
import { formatInstant } from './format-instant'
import { Hash } from './Hash'
import { Pictures } from './Pictures'
import { useCapture } from './queries'
import { useSealCheck } from './SealCheck'
import { SEAL_HELP } from './seal-texts'

export interface CapturesDrawerProps {
  captures: readonly CaptureSummary[]
  about: string
  isOpen: boolean
  onClose: () => void
}

/** The user's sealed captures of a record, with their URL, times and actions. */
export function CapturesDrawer({ captures, about, isOpen, onClose }: CapturesDrawerProps) {
  return (
    <SideDrawer isOpen={isOpen} title="Sealed captures" about={about} onClose={onClose}>
      {captures.length === 0 ? (
        <EmptyState icon={<EndorsedIcon size={40} />} title="This record no longer has captures" />
      ) : (
        <>
          <p className={styles.meta}>{SEAL_HELP}</p>
          {captures.map((capture, index) => (
            <Details key={capture.id} summary={capture} number={captures.length - index} />
          ))}
        </>
      )}
    </SideDrawer>
  )
}

function Details({ summary, number }: { summary: CaptureSummary; number: number }) {
  const { id, url, captured_at, received_at, bytes, seq, shared } = summary
  const query = useCapture(id)
  const check = useSealCheck(query.data?.seal, { captureId: id, quote: null })
  useKeptFocus()
  return (
    <Card className={styles.piece} role="article" aria-label={`Capture ${number}`}>
      <div className={styles.kind}>
        <Tag minimal intent="success" icon={<EndorsedIcon size={14} />}>
          Sealed capture
        </Tag>
        {shared && <Tag minimal>Shared</Tag>}
      </div>
      <Facts
        className={styles.facts}
        facts={{
          URL: <SourceLink source={url} />,
          Captured: <DateTime value={captured_at} format={formatInstant} />,
          Received: <DateTime value={received_at} format={formatInstant} />,
          Size: `${formatCount(Math.ceil(bytes / 1024))} KiB`,
          Seal: `No. ${seq}`,
        }}
        help={FACT_HELP}
      />
      <LoadingPanel query={query} errorTitle="Unable to load the capture">
        {capture => (
          <>
            <Facts
              className={styles.facts}
              facts={{
                Fingerprint: <Hash value={capture.manifest_hash} name="fingerprint" />,
                'Captured with': capture.manifest.collector,
              }}
              help={FACT_HELP}
            />
            <div className={styles.actions}>
              {check.button}
              <WaczButton captureId={id} />
              <ShareButton captureId={id} isShared={shared} />
              <EraseButton captureId={id} text="Delete" />
              <Pictures capture={capture} />
            </div>
            {check.report}
          </>
        )}
      </LoadingPanel>
    </Card>
  )
}
