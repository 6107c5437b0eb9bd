import type { AuditItem } from '@iodine/contracts'
import { Facts, formatCount, formatDateTime, useRetained } from '@iodine/ui'
import { Dialog, DialogBody } from '@iodine/ui/overlays'
import styles from './AuditLog.module.css'
import { actionOf, actorOf, originOf, subjectOf } from './audit-words'
import cells from './cells.module.css'

/** All fields of an audit entry; closed if `entry` is null. */
export function AuditEntryDialog({ entry, onClose }: { entry: AuditItem | null; onClose: () => void }) {
  // The content stays while the dialog fades out.
  const shown = useRetained(entry)
  return (
    <Dialog isOpen={entry !== null} title="Audit Log Entry" onClose={onClose}>
      <DialogBody>{shown && <Details entry={shown} />}</DialogBody>
    </Dialog>
  )
}

function Details({ entry }: { entry: AuditItem }) {
  const { at, count, times, outcome, subject, item, request_id, settings, checkpoint, seq, prev, hash, id } =
    entry
  const facts = {
    Entry: formatCount(seq),
    Time: (
      <>
        {formatDateTime(at)} <span className={cells.muted}>{at}</span>
      </>
    ),
    Actor: actorOf(entry),
    'Actor id': entry.actor.id,
    Origin: originOf(entry),
    Action: actionOf(entry),
    Outcome: outcome === 'done' ? 'Done' : 'Unknown: it was interrupted, and may be partly done',
    Target: subjectOf(entry),
    'Target id': subject.id,
    Item: item,
    Count: count === null ? null : formatCount(count),
    Occurrences: times > 1 ? formatCount(times) : null,
    Settings: settings && (
      <ul className={styles.settings}>
        {settings.map(({ name, change, fingerprint }) => (
          <li key={name}>
            {name} {change}
            {fingerprint && <span className={cells.muted}> {fingerprint}</span>}
          </li>
        ))}
      </ul>
    ),
    'Removed up to': checkpoint && `Entry ${formatCount(checkpoint.seq)}, ${checkpoint.hash}`,
    'Request id': request_id,
    'Entry id': id,
    Hash: hash,
    'Previous hash': prev,
  }
  return <Facts className={styles.details} facts={facts} />
}
