import { hashOf } from '@iodine/service-kit'
import { Schema, type Types } from 'mongoose'
import type { NarrativeDoc } from '../../narratives/models/narrative.js'
import { dayOf } from './edge.js'

/**
 * Number of triplets in a user's narratives of one day and source. Lists the sources without reading edges.
 */
export interface SourceDoc {
  /** Hash of user, day and source. */
  _id: string
  user_id: Types.ObjectId
  /** Midnight UTC of the narratives' day. */
  day: Date
  src: string
  count: number
}

/** Returns the count that a narrative adds to its source; none without a source or triplets. */
export const sourcesOf = ({
  user_id,
  created_at,
  src,
  triplets,
}: Pick<NarrativeDoc, 'user_id' | 'created_at' | 'src' | 'triplets'>): SourceDoc[] => {
  if (src === null || triplets.length === 0) return []
  const day = dayOf(created_at)
  const _id = hashOf(JSON.stringify([user_id.toHexString(), day.getTime(), src]))
  return [{ _id, user_id, day, src, count: triplets.length }]
}

export const sourceSchema = new Schema<SourceDoc>(
  {
    _id: { type: String, required: true },
    user_id: Schema.Types.ObjectId,
    day: Date,
    src: String,
    count: Number,
  },
  { collection: 'sources', versionKey: false, id: false },
)
sourceSchema.index({ user_id: 1, day: 1 })
// Serves the list of a user's sources, regardless of days.
sourceSchema.index({ user_id: 1, src: 1 })
