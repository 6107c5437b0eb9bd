import { Schema, type Types } from 'mongoose'

/** A pending change of address, which both addresses have to confirm. */
export interface AddressChangeDoc {
  /** The user's id: a user has at most one. */
  _id: Types.ObjectId
  /** Differs for each request. */
  change_id: Types.ObjectId
  old_email: string
  new_email: string
  old_confirmed_at: Date | null
  new_confirmed_at: Date | null
  created_at: Date
  expires_at: Date
}

const required = true
export const addressChangeSchema = new Schema<AddressChangeDoc>(
  {
    _id: { type: Schema.Types.ObjectId, required },
    change_id: { type: Schema.Types.ObjectId, required },
    old_email: { type: String, required },
    new_email: { type: String, required },
    old_confirmed_at: { type: Date, default: null },
    new_confirmed_at: { type: Date, default: null },
    created_at: { type: Date, required },
    expires_at: { type: Date, required },
  },
  { collection: 'address_changes', versionKey: false },
)
addressChangeSchema.index({ expires_at: 1 }, { expireAfterSeconds: 0 })
