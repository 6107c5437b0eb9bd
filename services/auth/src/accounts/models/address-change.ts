import { type DocOf, defineSchema } from '@iodine/service-kit'
import { Schema } from 'mongoose'

const required = true
export const addressChangeSchema = defineSchema('address_changes', {
  /** The user's id: a user has at most one. */
  _id: { type: Schema.Types.ObjectId, required },
  /** Differs for each request. */
  change_id: { type: Schema.Types.ObjectId, required },
  old_email: { type: String, required },
  new_email: { type: String, required },
  old_confirmed_at: { type: Date, default: null },
  new_confirmed_at: { type: Date, default: null },
  created_at: { type: Date, required },
  expires_at: { type: Date, required },
})
/** A pending change of address, which both addresses have to confirm. */
export type AddressChangeDoc = DocOf<typeof addressChangeSchema>
addressChangeSchema.index({ expires_at: 1 }, { expireAfterSeconds: 0 })
