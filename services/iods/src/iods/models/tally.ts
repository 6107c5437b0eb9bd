import type { Category, SourceType } from '@iodine/contracts'
import { Schema, type Types } from 'mongoose'

/**
 * Partial count of the IODs of one category and source type; a kind's count is the sum of its tallies. An IOD's
 * transaction inserts one. A shared counter would conflict, and a transaction that a crash leaves open would block it
 * until the database rolls it back. The task `tallies` merges them.
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
