import { LIMITS, NOTIFICATION_KINDS, NOTIFICATION_SUBJECTS, WATCH_CHANNELS } from '@iodine/contracts'
import { type DocOf, defineSchema } from '@iodine/service-kit'
import { Schema } from 'mongoose'

const DAY_SECONDS = 86_400
const required = true
export const notificationSchema = defineSchema('notifications', {
  user_id: { type: Schema.Types.ObjectId, required },
  watch_id: { type: Schema.Types.ObjectId, default: null },
  kind: { type: String, enum: NOTIFICATION_KINDS, required },
  subject_kind: { type: String, enum: NOTIFICATION_SUBJECTS, required },
  subject_id: { type: Schema.Types.ObjectId, default: null },
  title: { type: String, default: '' },
  comment_id: { type: Schema.Types.ObjectId, default: null },
  positive: Number,
  negative: Number,
  /** User of the latest event; null if unknown, deleted or anonymous. */
  actor: { type: Schema.Types.ObjectId, default: null },
  /** Level of the subject: an index into `TLP_LEVELS`. */
  tlp: { type: Number, required },
  channels: { type: [String], enum: WATCH_CHANNELS, required },
  /** Times of the first and the latest event. `created_at` is the latest, by which lists are sorted. */
  first_at: { type: Date, required },
  created_at: { type: Date, required },
  read_at: { type: Date, default: null },
  count: { type: Number, required },
  /** Identity of watch, kind and subject while further events are counted in this notification. */
  fold: String,
})
export type NotificationDoc = DocOf<typeof notificationSchema>
notificationSchema.index({ user_id: 1, created_at: -1, _id: -1 })
notificationSchema.index(
  { user_id: 1, created_at: -1, _id: -1 },
  { name: 'unread', partialFilterExpression: { read_at: null } },
)
// Of two concurrent transactions that notify of the same, one is retried.
notificationSchema.index({ fold: 1 }, { unique: true, partialFilterExpression: { fold: { $exists: true } } })
notificationSchema.index({ created_at: 1 }, { expireAfterSeconds: LIMITS.notificationMs / 1_000 })
// For the deletion of an account.
notificationSchema.index({ actor: 1 }, { partialFilterExpression: { actor: { $type: 'objectId' } } })
notificationSchema.index({ subject_id: 1 }, { partialFilterExpression: { subject_kind: 'person' } })

/**
 * Receipts of events, of records and of batches of notifications: a repeated one has no effect. They are kept as long as
 * notifications.
 */
export const receiptSchema = defineSchema('receipts', {
  /** Identity of the event. */
  _id: { type: String, required },
  at: { type: Date, required },
})
receiptSchema.index({ at: 1 }, { expireAfterSeconds: 90 * DAY_SECONDS })
