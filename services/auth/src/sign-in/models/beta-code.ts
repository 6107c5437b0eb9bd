import { Schema, type Types } from 'mongoose'

export interface BetaCodeDoc {
  _id: Types.ObjectId
  code: string
  /** The only address that may use the code; null: any address. */
  email: string | null
  used: boolean
  /** Address of the account that was created with the code. */
  used_by: string | null
  created_at: Date
  used_at: Date | null
  /** The administrator who created the code. Null after the account's deletion and in codes of earlier versions. */
  created_by: Types.ObjectId | null
}

const required = true
export const betaCodeSchema = new Schema<BetaCodeDoc>(
  {
    code: { type: String, required },
    email: { type: String, default: null },
    used: { type: Boolean, required },
    used_by: { type: String, default: null },
    created_at: { type: Date, required },
    used_at: { type: Date, default: null },
    created_by: { type: Schema.Types.ObjectId, default: null },
  },
  { collection: 'beta_codes', versionKey: false },
)
betaCodeSchema.index({ code: 1 }, { unique: true })
betaCodeSchema.index({ created_by: 1 }, { sparse: true })
betaCodeSchema.index({ created_at: -1, _id: -1 })
