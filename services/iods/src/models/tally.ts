import type { Category, SourceType } from '@iodine/contracts'
import { Schema } from 'mongoose'

/**
 * Numbers of IODs by category and source type, which are added up over all slots. An IOD's transaction changes
 * one slot, so that few concurrent ones conflict.
 */
export interface TallyDoc {
  /** The slot: 0 to `SLOTS` - 1. */
  _id: number
  n: Partial<Record<Category, Partial<Record<SourceType, number>>>>
  /** Of slot 0: time of the last recount. */
  checked_at?: Date
}

export const SLOTS = 8

/** One more, or more, of a kind. */
export const tallied = (category: Category, source_type: SourceType, by = 1): Record<string, number> => ({
  [`n.${category}.${source_type}`]: by,
})

export const tallySchema = new Schema<TallyDoc>(
  {
    _id: { type: Number, required: true },
    n: { type: Schema.Types.Mixed, required: true },
    checked_at: { type: Date },
  },
  { collection: 'tallies', versionKey: false, minimize: false },
)
