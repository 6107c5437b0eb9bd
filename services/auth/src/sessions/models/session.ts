import { Schema, type Types } from 'mongoose'

export interface SessionDoc {
  /** The `sid` claim of the session's token. */
  _id: string
  user_id: Types.ObjectId
  scope: 'full' | 'collector'
  /** Means of sign-in. Absent in sessions that a version without passkeys opened, by link or code. */
  by?: 'link' | 'code' | 'passkey'
  /** Names of the browser and its system, where the user agent has them. */
  browser?: string
  system?: string
  created_at: Date
  /** Written at most every `SEEN_EVERY_MS`. Absent until then. */
  last_seen_at?: Date
  /** Time of expiry without further use, at the latest that of the token. */
  expires_at: Date
  /** When the session was ended. The document is deleted once Redis has the tombstone. */
  ended_at?: Date
}

const required = true
export const sessionSchema = new Schema<SessionDoc>(
  {
    _id: { type: String, required },
    user_id: { type: Schema.Types.ObjectId, required },
    scope: { type: String, enum: ['full', 'collector'], required },
    by: { type: String, enum: ['link', 'code', 'passkey'] },
    browser: String,
    system: String,
    created_at: { type: Date, required },
    last_seen_at: Date,
    expires_at: { type: Date, required },
    ended_at: Date,
  },
  { collection: 'sessions', versionKey: false },
)
sessionSchema.index({ user_id: 1 })
sessionSchema.index({ expires_at: 1 }, { expireAfterSeconds: 0 })

const KINDS = { full: 'web', collector: 'extension' } as const
export const kindOf = ({ scope }: Pick<SessionDoc, 'scope'>) => KINDS[scope]
