import type { Connection } from '@iodine/service-kit'
import { type Model, Schema, type Types } from 'mongoose'

export interface SessionDoc {
  /** The `sid` of the session's token. */
  _id: string
  user_id: Types.ObjectId
  scope: 'full' | 'collector'
  created_at: Date
  expires_at: Date
  /** Ended, while Redis may not know yet: the document goes once it does. */
  ended_at?: Date
}
export type SessionModel = Model<SessionDoc>

const required = true
const schema = new Schema<SessionDoc>(
  {
    _id: { type: String, required },
    user_id: { type: Schema.Types.ObjectId, required },
    scope: { type: String, enum: ['full', 'collector'], required },
    created_at: { type: Date, required },
    expires_at: { type: Date, required },
    ended_at: Date,
  },
  { collection: 'sessions', versionKey: false },
)
schema.index({ user_id: 1 })
schema.index({ ended_at: 1 }, { sparse: true })
schema.index({ expires_at: 1 }, { expireAfterSeconds: 0 })

export const createSessionModel = (mongo: Connection): SessionModel =>
  mongo.model<SessionDoc>('Session', schema)
