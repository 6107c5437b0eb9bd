import type { AccountLink } from '@iodine/contracts'
import { Schema, type Types } from 'mongoose'

/** A mailed link that changes an account's address or schedules its deletion. */
export interface AccountLinkDoc {
  /** SHA-256 of the token. Only the mail contains the token. */
  _id: string
  user_id: Types.ObjectId
  purpose: AccountLink['purpose']
  /** The change that the link confirms: a later request invalidates the links of an earlier one. */
  change_id?: Types.ObjectId
  expires_at: Date
}

const required = true
export const accountLinkSchema = new Schema<AccountLinkDoc>(
  {
    _id: { type: String, required },
    user_id: { type: Schema.Types.ObjectId, required },
    purpose: { type: String, required },
    change_id: Schema.Types.ObjectId,
    expires_at: { type: Date, required },
  },
  { collection: 'account_links', versionKey: false },
)
accountLinkSchema.index({ user_id: 1 })
accountLinkSchema.index({ expires_at: 1 }, { expireAfterSeconds: 0 })
