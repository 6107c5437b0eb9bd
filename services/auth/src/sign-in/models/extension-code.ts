import { type InferSchemaType, Schema } from 'mongoose'

const required = true
export const extensionCodeSchema = new Schema(
  {
    /** The user's id: a user has at most one live code. */
    _id: { type: Schema.Types.ObjectId, required },
    code_hash: { type: String, required },
    expires_at: { type: Date, required },
  },
  { collection: 'extension_codes', versionKey: false },
)
export type ExtensionCodeDoc = InferSchemaType<typeof extensionCodeSchema>
extensionCodeSchema.index({ code_hash: 1 }, { unique: true })
extensionCodeSchema.index({ expires_at: 1 }, { expireAfterSeconds: 0 })
