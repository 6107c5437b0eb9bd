import { type DocOf, defineSchema } from '@iodine/service-kit'
import { Schema } from 'mongoose'

const required = true
export const sessionSchema = defineSchema('sessions', {
  /** The `sid` claim of the session's token. */
  _id: { type: String, required },
  user_id: { type: Schema.Types.ObjectId, required },
  scope: { type: String, enum: ['full', 'collector'], required },
  /** Means of sign-in. Absent in sessions that a version without passkeys opened, by link or code. */
  by: { type: String, enum: ['link', 'code', 'passkey'] },
  /** Names of the browser and its system, where the user agent has them. */
  browser: String,
  system: String,
  created_at: { type: Date, required },
  /** Written at most every `SEEN_EVERY_MS`. Absent until then. */
  last_seen_at: Date,
  /** Time of expiry without further use, at the latest that of the token. */
  expires_at: { type: Date, required },
  /** When the session was ended. The document is deleted once Redis has the tombstone. */
  ended_at: Date,
})
export type SessionDoc = DocOf<typeof sessionSchema>
sessionSchema.index({ user_id: 1 })
sessionSchema.index({ expires_at: 1 }, { expireAfterSeconds: 0 })

const KINDS = { full: 'web', collector: 'extension' } as const
export const kindOf = ({ scope }: Pick<SessionDoc, 'scope'>) => KINDS[scope]
