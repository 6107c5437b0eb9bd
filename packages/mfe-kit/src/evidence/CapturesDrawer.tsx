import type { CaptureSummary } from '@iodine/contracts'
import { Button, Card, DateTime, EmptyState, formatCount, LoadingPanel, SourceLink, Tag } from '@iodine/ui'
import { EndorsedIcon } from '@iodine/ui/icons'
import { useCallback, useEffect, useRef, useState } from 'react'
import { EraseButton, ShareButton, WaczButton } from './CaptureActions'
import { Fact, FINGERPRINT_HELP, SEAL_NUMBER_HELP } from './EvidencePiece'
import styles from './evidence.module.css'
import { formatInstant } from './format-instant'
import { Hash } from './Hash'
import { Pictures } from './Pictures'
import { useCapture } from './queries'
import { SealCheck } from './SealCheck'
import { SideDrawer, type SideDrawerHandle } from './SideDrawer'
import { SEAL_HELP, VERIFY_HELP } from './seal-texts'

export interface CapturesDrawerProps {
  captures: readonly CaptureSummary[]
  about: string
  isOpen: boolean
  onClose: () => void
}

/** The user's sealed captures of a record, with their URL, times and actions. */
export function CapturesDrawer({ captures, about, isOpen, onClose }: CapturesDrawerProps) {
  const drawer = useRef<SideDrawerHandle>(null)
  const keepFocus = useCallback(() => drawer.current?.keepFocus(), [])
  return (
    <SideDrawer handle={drawer} isOpen={isOpen} title="Sealed captures" about={about} onClose={onClose}>
      {captures.length === 0 ? (
        <EmptyState icon={<EndorsedIcon size={40} />} title="This record no longer has captures" />
      ) : (
        <>
          <p className={styles.meta}>{SEAL_HELP}</p>
          {captures.map((capture, index) => (
            <Details key={capture.id} summary={capture} number={captures.length - index} onGone={keepFocus} />
          ))}
        </>
      )}
    </SideDrawer>
  )
}

interface DetailsProps {
  summary: CaptureSummary
  number: number
  onGone: () => void
}

function Details({ summary, number, onGone }: DetailsProps) {
  const { id, url, captured_at, received_at, bytes, seq, shared } = summary
  const query = useCapture(id)
  const [checks, setChecks] = useState(0)
  useEffect(() => onGone, [onGone])
  return (
    <Card className={styles.piece} role="article" aria-label={`Capture ${number}`}>
      <div className={styles.kind}>
        <Tag minimal intent="success" icon={<EndorsedIcon size={14} />}>
          Sealed capture
        </Tag>
        {shared && <Tag minimal>Shared</Tag>}
      </div>
      <dl className={styles.facts}>
        <Fact label="URL">
          <SourceLink source={url} />
        </Fact>
        <Fact label="Captured">
          <DateTime value={captured_at} format={formatInstant} />
        </Fact>
        <Fact label="Received">
          <DateTime value={received_at} format={formatInstant} />
        </Fact>
        <Fact label="Size">{formatCount(Math.ceil(bytes / 1024))} KiB</Fact>
        <Fact label="Seal" help={SEAL_NUMBER_HELP}>
          No. {seq}
        </Fact>
      </dl>
      <LoadingPanel query={query} errorTitle="Unable to load the capture">
        {capture => (
          <>
            <dl className={styles.facts}>
              <Fact label="Fingerprint" help={FINGERPRINT_HELP}>
                <Hash value={capture.manifest_hash} name="fingerprint" />
              </Fact>
              <Fact label="Captured with">{capture.manifest.collector}</Fact>
            </dl>
            <div className={styles.actions}>
              {capture.seal && (
                <Button
                  size="small"
                  intent="primary"
                  icon={<EndorsedIcon size={14} />}
                  text="Verify"
                  title={VERIFY_HELP}
                  onClick={() => setChecks(checks + 1)}
                />
              )}
              <WaczButton captureId={id} />
              <ShareButton captureId={id} isShared={shared} />
              <EraseButton captureId={id} text="Delete" />
              <Pictures capture={capture} />
            </div>
            {capture.seal && checks > 0 && (
              <SealCheck key={checks} seal={capture.seal} opened={{ captureId: id, quote: null }} />
            )}
          </>
        )}
      </LoadingPanel>
    </Card>
  )
}
