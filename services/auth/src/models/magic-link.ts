import type { Connection } from '@iodine/service-kit'
import { type Model, Schema, type Types } from 'mongoose'

export interface MagicLinkDoc {
  _id: Types.ObjectId
  /** SHA-256 of the token: the token itself is in the mail alone. */
  token_hash: string
  email: string
  /** Beta code that the first verify of a new account consumes. */
  beta_code: Types.ObjectId | null
  expires_at: Date
}
export type MagicLinkModel = Model<MagicLinkDoc>

const required = true
const schema = new Schema<MagicLinkDoc>(
  {
    token_hash: { type: String, required },
    email: { type: String, required },
    beta_code: { type: Schema.Types.ObjectId, default: null },
    expires_at: { type: Date, required },
  },
  { collection: 'magic_links', versionKey: false },
)
schema.index({ token_hash: 1 }, { unique: true })
schema.index({ email: 1 })
schema.index({ expires_at: 1 }, { expireAfterSeconds: 0 })

export const createMagicLinkModel = (mongo: Connection): MagicLinkModel =>
  mongo.model<MagicLinkDoc>('MagicLink', schema)
