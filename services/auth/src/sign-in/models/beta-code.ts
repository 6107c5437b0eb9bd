import { type DocOf, defineSchema } from '@iodine/service-kit'
import { Schema } from 'mongoose'

const required = true
export const betaCodeSchema = defineSchema('beta_codes', {
  code: { type: String, required },
  /** The only address that may use the code; null: any address. */
  email: { type: String, default: null },
  used: { type: Boolean, required },
  /** Address of the account that was created with the code. */
  used_by: { type: String, default: null },
  created_at: { type: Date, required },
  used_at: { type: Date, default: null },
  /** The administrator who created the code. Null after the account's deletion and in codes of earlier versions. */
  created_by: { type: Schema.Types.ObjectId, default: null },
})
export type BetaCodeDoc = DocOf<typeof betaCodeSchema>
betaCodeSchema.index({ code: 1 }, { unique: true })
betaCodeSchema.index({ created_by: 1 }, { sparse: true })
betaCodeSchema.index({ created_at: -1, _id: -1 })
