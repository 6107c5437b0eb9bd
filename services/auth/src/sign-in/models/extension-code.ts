import { Schema, type Types } from 'mongoose'

export interface ExtensionCodeDoc {
  /** The user's id: a user has at most one live code. */
  _id: Types.ObjectId
  code_hash: string
  expires_at: Date
}

const required = true
export const extensionCodeSchema = new Schema<ExtensionCodeDoc>(
  {
    _id: { type: Schema.Types.ObjectId, required },
    code_hash: { type: String, required },
    expires_at: { type: Date, required },
  },
  { collection: 'extension_codes', versionKey: false },
)
extensionCodeSchema.index({ code_hash: 1 }, { unique: true })
extensionCodeSchema.index({ expires_at: 1 }, { expireAfterSeconds: 0 })
