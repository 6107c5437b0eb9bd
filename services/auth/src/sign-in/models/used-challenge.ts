import { Schema } from 'mongoose'

/** A challenge that a passkey has answered: it takes no second answer. */
export interface UsedChallengeDoc {
  /** The challenge. */
  _id: string
  expires_at: Date
}

const required = true
export const usedChallengeSchema = new Schema<UsedChallengeDoc>(
  { _id: { type: String, required }, expires_at: { type: Date, required } },
  { collection: 'used_challenges', versionKey: false },
)
usedChallengeSchema.index({ expires_at: 1 }, { expireAfterSeconds: 0 })
