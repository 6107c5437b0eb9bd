import { Schema } from 'mongoose'

/**
 * How many public names hold a term: kept only for terms that somebody searched and many names hold, since counting
 * those anew would cost more the more people there are.
 */
export interface TermDoc {
  /** The term, folded. */
  _id: string
  n: number
}

export const termSchema = new Schema<TermDoc>(
  { _id: { type: String, required: true }, n: { type: Number, required: true } },
  { collection: 'terms', versionKey: false },
)
