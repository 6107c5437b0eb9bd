import { type FeedTlp, type Notification, rankOfTlp } from '@iodine/contracts'
import type { NotificationDoc } from '../models/notification.js'

/**
 * Returns a notification as its user sees it.
 * @param names usernames by user id
 * @param tlp strictest level of a title that leaves the app; stricter ones are omitted. All by default
 */
export const presentNotification = (
  doc: NotificationDoc,
  names: Map<string, string>,
  tlp: FeedTlp | 'red' = 'red',
): Notification => {
  const actor = doc.actor?.toHexString()
  return {
    id: doc._id.toHexString(),
    watch_id: doc.watch_id?.toHexString() ?? null,
    kind: doc.kind,
    subject: {
      kind: doc.subject_kind,
      id: doc.subject_id?.toHexString() ?? null,
      title: doc.tlp <= rankOfTlp(tlp) ? doc.title : '',
    },
    comment_id: doc.comment_id?.toHexString() ?? null,
    votes: doc.kind === 'votes' ? { positive: doc.positive ?? 0, negative: doc.negative ?? 0 } : null,
    actor: actor === undefined ? null : { id: actor, username: names.get(actor) ?? null },
    at: doc.created_at.toISOString(),
    read_at: doc.read_at?.toISOString() ?? null,
    count: doc.count,
  }
}
