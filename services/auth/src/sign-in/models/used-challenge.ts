import { defineSchema } from '@iodine/service-kit'

const required = true
/** A used challenge, which is rejected from then on. */
export const usedChallengeSchema = defineSchema('used_challenges', {
  /** The challenge. */
  _id: { type: String, required },
  expires_at: { type: Date, required },
})
usedChallengeSchema.index({ expires_at: 1 }, { expireAfterSeconds: 0 })
