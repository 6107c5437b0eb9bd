import { type DocOf, defineSchema } from '@iodine/service-kit'

export const termSchema = defineSchema('terms', {
  /** The folded term. */
  _id: { type: String, required: true },
  n: { type: Number, required: true },
})
/**
 * Number of public names that contain a term. Stored only for searched terms with many matches, as the cost
 * of counting them grows with the number of users.
 */
export type TermDoc = DocOf<typeof termSchema>
