import { FEED_KEY_READS } from '@iodine/contracts'
import { type DocOf, defineSchema } from '@iodine/service-kit'
import { Schema } from 'mongoose'

const required = true
export const feedKeySchema = defineSchema('feed_keys', {
  user_id: { type: Schema.Types.ObjectId, required },
  slot: { type: Number, required },
  label: { type: String, required },
  hash: { type: String, required },
  /** Feeds that it reads. */
  reads: { type: String, enum: FEED_KEY_READS, default: 'campaigns' },
  /** Index in `TLP_LEVELS` of the strictest level that the key reads. */
  tlp: { type: Number, required },
  created_at: { type: Date, required },
  expires_at: { type: Date, default: null },
  last_used_at: { type: Date, default: null },
})
/** A key with which another system pulls feeds. */
export type FeedKeyDoc = DocOf<typeof feedKeySchema>
feedKeySchema.index({ user_id: 1, slot: 1 }, { unique: true })
feedKeySchema.index({ hash: 1 }, { unique: true })

/** Returns the filter of keys that have not expired, regardless of their accounts. */
export const liveFeedKeys = () => ({ $or: [{ expires_at: null }, { expires_at: { $gt: new Date() } }] })
