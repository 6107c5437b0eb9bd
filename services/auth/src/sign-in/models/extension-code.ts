import { type DocOf, defineSchema } from '@iodine/service-kit'
import { Schema } from 'mongoose'

const required = true
export const extensionCodeSchema = defineSchema('extension_codes', {
  /** The user's id: a user has at most one live code. */
  _id: { type: Schema.Types.ObjectId, required },
  code_hash: { type: String, required },
  expires_at: { type: Date, required },
})
export type ExtensionCodeDoc = DocOf<typeof extensionCodeSchema>
extensionCodeSchema.index({ code_hash: 1 }, { unique: true })
extensionCodeSchema.index({ expires_at: 1 }, { expireAfterSeconds: 0 })
