import { Schema, type Types } from 'mongoose'

export interface MagicLink {
  /** SHA-256 of the token. Only the mail contains the token. */
  token_hash: string
  /** Beta code that is consumed when the link creates an account. */
  beta_code: Types.ObjectId | null
  expires_at: Date
}

/** All open links of an address in one document: using one link invalidates the others atomically. */
export interface MagicLinksDoc {
  /** The e-mail address. */
  _id: string
  links: MagicLink[]
  /** When the last link expires. */
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
export const magicLinkSchema = new Schema<MagicLinksDoc>(
  {
    _id: { type: String, required },
    links: [link],
    expires_at: { type: Date, required },
  },
  { collection: 'magic_links', versionKey: false },
)
magicLinkSchema.index({ 'links.token_hash': 1 })
magicLinkSchema.index({ expires_at: 1 }, { expireAfterSeconds: 0 })
