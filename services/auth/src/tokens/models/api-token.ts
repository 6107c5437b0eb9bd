import { API_SCOPES, LIMITS } from '@iodine/contracts'
import { type DocOf, defineSchema } from '@iodine/service-kit'
import { Schema } from 'mongoose'

const required = true
export const apiTokenSchema = defineSchema('api_tokens', {
  user_id: { type: Schema.Types.ObjectId, required },
  slot: { type: Number, required },
  name: { type: String, required },
  hash: { type: String, required },
  scopes: { type: [String], enum: API_SCOPES, required },
  created_at: { type: Date, required },
  expires_at: { type: Date, required },
  last_used_at: { type: Date, default: null },
  /** When the token was revoked. The document is deleted once Redis has the tombstone. */
  ended_at: Date,
})
/** A token with which a script calls the API. */
export type ApiTokenDoc = DocOf<typeof apiTokenSchema>
apiTokenSchema.index({ user_id: 1, slot: 1 }, { unique: true })
apiTokenSchema.index({ hash: 1 }, { unique: true })
apiTokenSchema.index({ expires_at: 1 }, { expireAfterSeconds: LIMITS.expiredApiTokenMs / 1000 })

/** Returns the filter of valid tokens: neither revoked nor expired. */
export const liveApiTokens = (now = new Date()) => ({ ended_at: null, expires_at: { $gt: now } })
