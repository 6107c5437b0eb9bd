import { type InferSchemaType, Schema } from 'mongoose'

const required = true
export const usedChallengeSchema = new Schema(
  {
    /** The challenge. */
    _id: { type: String, required },
    expires_at: { type: Date, required },
  },
  { collection: 'used_challenges', versionKey: false },
)
/** A used challenge, which is rejected from then on. */
export type UsedChallengeDoc = InferSchemaType<typeof usedChallengeSchema>
usedChallengeSchema.index({ expires_at: 1 }, { expireAfterSeconds: 0 })
