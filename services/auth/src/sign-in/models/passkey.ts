import { Schema, type Types } from 'mongoose'
import type { Slotted } from '../../tokens/models/slotted.js'

/** A Web Authentication credential with which its owner signs in. */
export interface PasskeyDoc extends Slotted {
  _id: Types.ObjectId
  /** Base64url, chosen by the authenticator. */
  credential_id: string
  /** COSE key (RFC 9052). */
  public_key: Buffer
  /** Number of signatures; always 0 for authenticators without a counter. */
  counter: number
  transports: string[]
  name: string
  created_at: Date
  last_used_at: Date | null
}

const required = true
export const passkeySchema = new Schema<PasskeyDoc>(
  {
    user_id: { type: Schema.Types.ObjectId, required },
    slot: { type: Number, required },
    credential_id: { type: String, required },
    public_key: { type: Buffer, required },
    counter: { type: Number, required },
    transports: [String],
    name: { type: String, required },
    created_at: { type: Date, required },
    last_used_at: { type: Date, default: null },
  },
  { collection: 'passkeys', versionKey: false },
)
passkeySchema.index({ user_id: 1, slot: 1 }, { unique: true })
passkeySchema.index({ credential_id: 1 }, { unique: true })
