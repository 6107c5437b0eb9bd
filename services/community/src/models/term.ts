import type { Connection } from '@iodine/service-kit'
import { type Model, Schema } from 'mongoose'

/**
 * How many public names hold a term: kept only for terms that somebody searched and many names hold, since counting
 * those anew would cost more the more people there are.
 */
export interface TermDoc {
  /** The term, folded. */
  _id: string
  n: number
}
export type TermModel = Model<TermDoc>

const schema = new Schema<TermDoc>(
  { _id: { type: String, required: true }, n: { type: Number, required: true } },
  { collection: 'terms', versionKey: false },
)

export const createTermModel = (mongo: Connection): TermModel => mongo.model<TermDoc>('Term', schema)
