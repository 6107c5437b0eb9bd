import { Schema, type Types } from 'mongoose'
import type { Slotted } from './slotted.js'

/** A key with which another system pulls feeds. */
export interface FeedKeyDoc extends Slotted {
  _id: Types.ObjectId
  label: string
  hash: string
  /** Index in `TLP_LEVELS` of the strictest level that the key reads. */
  tlp: number
  created_at: Date
  expires_at: Date | null
  last_used_at: Date | null
}

const required = true
export const feedKeySchema = new Schema<FeedKeyDoc>(
  {
    user_id: { type: Schema.Types.ObjectId, required },
    slot: { type: Number, required },
    label: { type: String, required },
    hash: { type: String, required },
    tlp: { type: Number, required },
    created_at: { type: Date, required },
    expires_at: { type: Date, default: null },
    last_used_at: { type: Date, default: null },
  },
  { collection: 'feed_keys', versionKey: false },
)
feedKeySchema.index({ user_id: 1, slot: 1 }, { unique: true })
feedKeySchema.index({ hash: 1 }, { unique: true })

/** Returns the filter of keys that have not expired, regardless of their accounts. */
export const liveFeedKeys = () => ({ $or: [{ expires_at: null }, { expires_at: { $gt: new Date() } }] })
