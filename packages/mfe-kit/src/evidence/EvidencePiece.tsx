import { type Evidence, paths } from '@iodine/contracts'
import { Button, Card, DateTime, Facts, formatDateTime, SourceLink, Tag } from '@iodine/ui'
import { DocumentOpenIcon, EndorsedIcon, TrashIcon } from '@iodine/ui/icons'
import { ConfirmButton } from '@iodine/ui/overlays'
import { useState } from 'react'
import { useAction } from '../action'
import { SectionLink } from '../section-link'
import { useKeptFocus } from '../side-drawer'
import { useHost } from '../use-host'
import { ShareButton, WaczButton } from './CaptureActions'
import { CaptureText } from './CaptureText'
import styles from './evidence.module.css'
import { formatInstant } from './format-instant'
import { Hash } from './Hash'
import { QuoteText } from './QuoteText'
import { useCapture, useRefresh } from './queries'
import { useSealCheck } from './SealCheck'
import { SEAL_HELP } from './seal-texts'

const RELATIONS = {
  same: null,
  folded: 'The quote matches the IOD except for case or word form.',
  part: 'The quote contains the IOD, is part of it, or shares words with it.',
}

/** Returns the tag of a piece, and a sentence about its evidential value. */
const looksOf = ({ kind, seal }: Evidence): { tag: string; sealed?: true; note?: string } => {
  if (kind === 'imported')
    return { tag: 'Imported', note: 'Imported from another system. This server has not checked it.' }
  if (kind === 'narrative')
    return {
      tag: 'Analyzed text',
      note: 'The quote is from a text that its author pasted for analysis. It has no seal.',
    }
  if (kind === 'record')
    return {
      tag: 'Collected record',
      note: 'The quote is from a collected record whose page was not captured. It has no seal.',
    }
  if (seal) return { tag: 'Sealed capture', sealed: true }
  return {
    tag: 'Deleted capture',
    note: 'The capture was deleted after it was quoted. The quote remains, but it can no longer be verified.',
  }
}

export interface EvidencePieceProps {
  piece: Evidence
  /** Number of the piece, from 1. */
  number: number
}

/** A quote that is evidence of an IOD, with its context, URL, times and proof. */
export function EvidencePiece({ piece, number }: EvidencePieceProps) {
  const { user } = useHost().session
  const { capture_id, seal, open, shared, url, captured_at, pointer, role } = piece
  const [isShown, setShown] = useState(false)
  const captureId = open ? capture_id : null
  // A user who may open an unshared capture owns it.
  const capture = useCapture(captureId, shared)
  const isOwn = captureId !== null && (!shared || capture.data?.own === true)
  const { tag, sealed, note } = looksOf(piece)
  const relation = RELATIONS[piece.relation]
  const check = useSealCheck(seal, captureId ? { captureId, quote: piece } : undefined)
  useKeptFocus()
  return (
    <Card className={styles.piece} role="article" aria-label={`Evidence ${number}`}>
      <div className={styles.kind}>
        <Tag
          minimal
          {...(sealed && { intent: 'success', icon: <EndorsedIcon size={14} />, title: SEAL_HELP })}
        >
          {tag}
        </Tag>
        {shared && <Tag minimal>Shared</Tag>}
      </div>
      <QuoteText {...piece} />
      {relation && <p className={styles.meta}>{relation}</p>}
      {note && <p className={styles.meta}>{note}</p>}
      <Facts
        className={styles.facts}
        facts={{
          URL: url && <SourceLink source={url} />,
          Captured: captured_at && <DateTime value={captured_at} format={formatInstant} />,
          Received: seal && <DateTime value={seal.received_at} format={formatInstant} />,
          Added: <AddedBy piece={piece} />,
          Field: role === 'record' && pointer && <code>{pointer}</code>,
          Seal: seal && `No. ${seal.seq}`,
          Fingerprint: seal && <Hash value={seal.manifest_hash} name="fingerprint" />,
        }}
        help={FACT_HELP}
      />
      <div className={styles.actions}>
        {check.button}
        {captureId && (
          <>
            <Button
              size="small"
              icon={<DocumentOpenIcon size={14} />}
              text={isShown ? 'Hide capture' : 'Show in capture'}
              aria-expanded={isShown}
              onClick={() => setShown(!isShown)}
            />
            <WaczButton captureId={captureId} />
          </>
        )}
        {isOwn && captureId && <ShareButton captureId={captureId} isShared={shared} />}
        {piece.created_by_id === user.id && <DeleteButton piece={piece} />}
      </div>
      {check.report}
      {captureId && isShown && <CaptureText captureId={captureId} quote={piece} />}
    </Card>
  )
}

export const FACT_HELP = {
  Seal: 'Position of the capture in the server’s log of captures',
  Fingerprint: 'SHA-256 of the capture’s manifest, which lists the content by its hashes',
}

function AddedBy({ piece: { created_at, created_by_id, created_by_username } }: { piece: Evidence }) {
  return (
    <>
      <DateTime value={created_at} format={formatDateTime} /> by{' '}
      {created_by_id === null || created_by_username === null ? (
        (created_by_username ?? 'Unknown')
      ) : (
        <SectionLink to={paths.person(created_by_id)}>{created_by_username}</SectionLink>
      )}
    </>
  )
}

function DeleteButton({ piece: { id, iod_id } }: { piece: Evidence }) {
  const { api } = useHost()
  const remove = useAction({
    mutationFn: () =>
      api.call('DELETE /iods/:id/evidence/:evidence_id', { params: { id: iod_id, evidence_id: id } }),
    onSettled: useRefresh(),
    done: 'Evidence deleted',
    failed: 'Unable to delete the evidence',
  })
  return (
    <ConfirmButton
      button={{ size: 'small', icon: <TrashIcon size={14} />, text: 'Delete' }}
      title="Delete evidence"
      confirmLabel="Delete"
      onConfirm={remove.run}
    >
      The quote is removed from the IOD. Its capture, if there is one, stays in My data.
    </ConfirmButton>
  )
}
