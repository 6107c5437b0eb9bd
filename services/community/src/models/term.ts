import { type InferSchemaType, Schema } from 'mongoose'

export const termSchema = new Schema(
  {
    /** The folded term. */
    _id: { type: String, required: true },
    n: { type: Number, required: true },
  },
  { collection: 'terms', versionKey: false },
)
/**
 * Number of public names that contain a term. Stored only for searched terms with many matches, as the cost
 * of counting them grows with the number of users.
 */
export type TermDoc = InferSchemaType<typeof termSchema>
