import type { Category, SourceType } from '@iodine/contracts'
import { Schema, type Types } from 'mongoose'

/**
 * A number of IODs of one category and source type, to be added to the others of that kind. An IOD's
 * transaction inserts one: a shared counter would conflict, and a transaction that a crash leaves open would
 * block it until the database gives up. The repair merges them.
 */
export interface TallyDoc {
  _id: Types.ObjectId
  category: Category
  source_type: SourceType
  n: number
}

const required = true
export const tallySchema = new Schema<TallyDoc>(
  {
    category: { type: String, required },
    source_type: { type: String, required },
    n: { type: Number, required },
  },
  { collection: 'tallies', versionKey: false },
)

/** When all IODs were last counted again. */
export interface RecountDoc {
  _id: 'tallies'
  at: Date
}

export const recountSchema = new Schema<RecountDoc>(
  { _id: { type: String, required }, at: { type: Date, required } },
  { collection: 'recounts', versionKey: false },
)
