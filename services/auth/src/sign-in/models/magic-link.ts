import { type DocOf, defineSchema } from '@iodine/service-kit'
import { Schema, type Types } from 'mongoose'

export interface MagicLink {
  /** SHA-256 of the token. Only the mail contains the token. */
  token_hash: string
  /** Beta code that is consumed when the link creates an account. */
  beta_code: Types.ObjectId | null
  expires_at: Date
}

const required = true
const link = new Schema<MagicLink>(
  {
    token_hash: { type: String, required },
    beta_code: { type: Schema.Types.ObjectId, default: null },
    expires_at: { type: Date, required },
  },
  { _id: false },
)
export const magicLinkSchema = defineSchema('magic_links', {
  /** The e-mail address. */
  _id: { type: String, required },
  links: { type: [link], required },
  /** When the last link expires. */
  expires_at: { type: Date, required },
})
/** All open links of an address in one document: using one link invalidates the others atomically. */
export type MagicLinksDoc = DocOf<typeof magicLinkSchema>
magicLinkSchema.index({ 'links.token_hash': 1 })
magicLinkSchema.index({ expires_at: 1 }, { expireAfterSeconds: 0 })
