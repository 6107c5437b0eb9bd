import { defineSchema } from '@iodine/service-kit'

/**
 * Number of public names that contain a term. Stored only for searched terms with many matches, as the cost
 * of counting them grows with the number of users.
 */
export const termSchema = defineSchema('terms', {
  /** The folded term. */
  _id: { type: String, required: true },
  n: { type: Number, required: true },
})
