import type { Connection } from '@iodine/service-kit'
import { type Model, Schema, type Types } from 'mongoose'

export interface UserDoc {
  _id: Types.ObjectId
  /** Trimmed and lower-cased. */
  email: string
  username: string | null
  /** Lower-cased username: what makes two names the same. Absent until one is chosen. */
  username_key?: string
  /** AI provider key, sealed for this user alone. */
  sealed_ai_key: string | null
  created_at: Date
  /** Raised with each change of the name. */
  revision: number
  /** False until the events of this revision are out. */
  announced: boolean
}
export type UserModel = Model<UserDoc>

const required = true
const schema = new Schema<UserDoc>(
  {
    email: { type: String, required },
    username: { type: String, default: null },
    username_key: { type: String },
    sealed_ai_key: { type: String, default: null },
    created_at: { type: Date, required },
    revision: { type: Number, required },
    announced: { type: Boolean, required },
  },
  { collection: 'users', versionKey: false },
)
schema.index({ email: 1 }, { unique: true })
schema.index(
  { username_key: 1 },
  { unique: true, partialFilterExpression: { username_key: { $exists: true } } },
)
schema.index({ announced: 1 }, { partialFilterExpression: { announced: false } })

export const createUserModel = (mongo: Connection): UserModel => mongo.model<UserDoc>('User', schema)
