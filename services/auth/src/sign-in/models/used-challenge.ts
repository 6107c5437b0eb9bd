import { type DocOf, defineSchema } from '@iodine/service-kit'

const required = true
export const usedChallengeSchema = defineSchema('used_challenges', {
  /** The challenge. */
  _id: { type: String, required },
  expires_at: { type: Date, required },
})
/** A used challenge, which is rejected from then on. */
export type UsedChallengeDoc = DocOf<typeof usedChallengeSchema>
usedChallengeSchema.index({ expires_at: 1 }, { expireAfterSeconds: 0 })
