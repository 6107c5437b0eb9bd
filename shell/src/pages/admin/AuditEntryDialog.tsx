import type { AuditItem } from '@iodine/contracts'
import { formatCount, formatDateTime, useRetained } from '@iodine/ui'
import { Dialog, DialogBody } from '@iodine/ui/overlays'
import type { ReactNode } from 'react'
import styles from './AuditLog.module.css'
import { actionOf, actorOf, originOf, subjectOf } from './audit-words'
import cells from './cells.module.css'

/** All that an entry holds; closed without one. */
export function AuditEntryDialog({ entry, onClose }: { entry: AuditItem | null; onClose: () => void }) {
  // The content stays while the dialog fades out.
  const shown = useRetained(entry)
  return (
    <Dialog isOpen={entry !== null} title="Entry of the Audit Log" onClose={onClose}>
      <DialogBody>{shown && <Details entry={shown} />}</DialogBody>
    </Dialog>
  )
}

function Details({ entry }: { entry: AuditItem }) {
  const { at, count, times, outcome, subject, item, request_id, settings, checkpoint, seq, prev, hash, id } =
    entry
  const rows: [string, ReactNode][] = [
    ['Entry', formatCount(seq)],
    [
      'When',
      <>
        {formatDateTime(at)} <span className={cells.muted}>{at}</span>
      </>,
    ],
    ['Who', actorOf(entry)],
    ['Account', entry.actor.id],
    ['From', originOf(entry)],
    ['What', actionOf(entry)],
    ['Outcome', outcome === 'done' ? 'Done' : 'Unknown: it was cut off, and may have been done in part'],
    ['On what', subjectOf(entry)],
    ['Its id', subject.id],
    ['Part of it', item],
    ['Count', count === null ? null : formatCount(count)],
    ['Times', times > 1 ? formatCount(times) : null],
    [
      'Settings',
      settings && (
        <ul className={styles.settings}>
          {settings.map(({ name, change, fingerprint }) => (
            <li key={name}>
              {name} {change}
              {fingerprint && <span className={cells.muted}> {fingerprint}</span>}
            </li>
          ))}
        </ul>
      ),
    ],
    ['Removed up to', checkpoint && `Entry ${formatCount(checkpoint.seq)}, ${checkpoint.hash}`],
    ['Request', request_id],
    ['Id', id],
    ['Hash', hash],
    ['Hash before', prev],
  ]
  return (
    <dl className={styles.details}>
      {rows.map(([name, value]) =>
        value ? (
          <div key={name} className={styles.detail}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ) : null,
      )}
    </dl>
  )
}
