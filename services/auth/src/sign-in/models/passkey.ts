import { type DocOf, defineSchema } from '@iodine/service-kit'
import { Schema } from 'mongoose'

const required = true
export const passkeySchema = defineSchema('passkeys', {
  user_id: { type: Schema.Types.ObjectId, required },
  slot: { type: Number, required },
  /** Base64url, chosen by the authenticator. */
  credential_id: { type: String, required },
  /** COSE key (RFC 9052). */
  public_key: { type: Buffer, required },
  /** Number of signatures; always 0 for authenticators without a counter. */
  counter: { type: Number, required },
  transports: { type: [String], required },
  name: { type: String, required },
  created_at: { type: Date, required },
  last_used_at: { type: Date, default: null },
})
/** A Web Authentication credential with which its owner signs in. */
export type PasskeyDoc = DocOf<typeof passkeySchema>
passkeySchema.index({ user_id: 1, slot: 1 }, { unique: true })
passkeySchema.index({ credential_id: 1 }, { unique: true })
