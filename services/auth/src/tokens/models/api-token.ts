import { API_SCOPES, type ApiScope, LIMITS } from '@iodine/contracts'
import { Schema, type Types } from 'mongoose'
import type { Slotted } from './slotted.js'

/** A token with which a script calls the API. */
export interface ApiTokenDoc extends Slotted {
  _id: Types.ObjectId
  name: string
  hash: string
  scopes: ApiScope[]
  created_at: Date
  expires_at: Date
  last_used_at: Date | null
  /** When the token was revoked. The document is deleted once Redis has the tombstone. */
  ended_at?: Date
}

const required = true
export const apiTokenSchema = new Schema<ApiTokenDoc>(
  {
    user_id: { type: Schema.Types.ObjectId, required },
    slot: { type: Number, required },
    name: { type: String, required },
    hash: { type: String, required },
    scopes: { type: [String], enum: API_SCOPES, required },
    created_at: { type: Date, required },
    expires_at: { type: Date, required },
    last_used_at: { type: Date, default: null },
    ended_at: Date,
  },
  { collection: 'api_tokens', versionKey: false },
)
apiTokenSchema.index({ user_id: 1, slot: 1 }, { unique: true })
apiTokenSchema.index({ hash: 1 }, { unique: true })
apiTokenSchema.index({ expires_at: 1 }, { expireAfterSeconds: LIMITS.expiredApiTokenMs / 1000 })

/** Returns the filter of valid tokens: neither revoked nor expired. */
export const liveApiTokens = (now = new Date()) => ({ ended_at: null, expires_at: { $gt: now } })
