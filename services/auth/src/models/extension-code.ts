import type { Connection } from '@iodine/service-kit'
import { type Model, Schema, type Types } from 'mongoose'

export interface ExtensionCodeDoc {
  /** The user's id: one live code a user. */
  _id: Types.ObjectId
  code_hash: string
  expires_at: Date
}
export type ExtensionCodeModel = Model<ExtensionCodeDoc>

const required = true
const schema = new Schema<ExtensionCodeDoc>(
  {
    _id: { type: Schema.Types.ObjectId, required },
    code_hash: { type: String, required },
    expires_at: { type: Date, required },
  },
  { collection: 'extension_codes', versionKey: false },
)
schema.index({ code_hash: 1 }, { unique: true })
schema.index({ expires_at: 1 }, { expireAfterSeconds: 0 })

export const createExtensionCodeModel = (mongo: Connection): ExtensionCodeModel =>
  mongo.model<ExtensionCodeDoc>('ExtensionCode', schema)
