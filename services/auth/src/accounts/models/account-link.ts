import type { AccountLink } from '@iodine/contracts'
import { type DocOf, defineSchema, typed } from '@iodine/service-kit'
import { Schema } from 'mongoose'

const required = true
export const accountLinkSchema = defineSchema('account_links', {
  /** SHA-256 of the token. Only the mail contains the token. */
  _id: { type: String, required },
  user_id: { type: Schema.Types.ObjectId, required },
  purpose: { type: typed<AccountLink['purpose']>(String), required },
  /** The change that the link confirms: a later request invalidates the links of an earlier one. */
  change_id: Schema.Types.ObjectId,
  /** Whether a deletion includes the user's comments. */
  delete_comments: Boolean,
  expires_at: { type: Date, required },
})
/** A mailed link that changes an account's address or schedules its deletion. */
export type AccountLinkDoc = DocOf<typeof accountLinkSchema>
accountLinkSchema.index({ user_id: 1 })
accountLinkSchema.index({ expires_at: 1 }, { expireAfterSeconds: 0 })
