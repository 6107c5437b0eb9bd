import { Schema } from 'mongoose'

/**
 * Number of public names that contain a term. Stored only for searched terms with many matches, as the cost
 * of counting them grows with the number of users.
 */
export interface TermDoc {
  /** The folded term. */
  _id: string
  n: number
}

export const termSchema = new Schema<TermDoc>(
  { _id: { type: String, required: true }, n: { type: Number, required: true } },
  { collection: 'terms', versionKey: false },
)
