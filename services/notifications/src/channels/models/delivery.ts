import { type DocOf, defineSchema } from '@iodine/service-kit'
import { Schema } from 'mongoose'

const required = true
/** A notification, or a test, that is to be delivered to the webhook of a user. */
export const deliverySchema = defineSchema('deliveries', {
  user_id: { type: Schema.Types.ObjectId, required },
  watch_id: { type: Schema.Types.ObjectId, default: null },
  /** JSON. */
  payload: { type: String, required },
  /** Failed attempts. */
  tries: { type: Number, required },
  next_at: { type: Date, required },
  created_at: { type: Date, required },
})
export type DeliveryDoc = DocOf<typeof deliverySchema>
deliverySchema.index({ user_id: 1, next_at: 1 })
