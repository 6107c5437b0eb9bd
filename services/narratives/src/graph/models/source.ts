import { type DocOf, defineSchema, hashOf } from '@iodine/service-kit'
import { Schema } from 'mongoose'
import type { NarrativeDoc } from '../../narratives/models/narrative.js'
import { dayOf } from './edge.js'

const required = true

export const sourceSchema = defineSchema('sources', {
  /** Hash of user, day and source. */
  _id: { type: String, required },
  user_id: { type: Schema.Types.ObjectId, required },
  /** Midnight UTC of the narratives' day. */
  day: { type: Date, required },
  src: { type: String, required },
  count: { type: Number, required },
})
sourceSchema.index({ user_id: 1, day: 1 })
// Serves the list of a user's sources, regardless of days.
sourceSchema.index({ user_id: 1, src: 1 })
/** Number of triplets in a user's narratives of one day and source. Lists the sources without reading edges. */
export type SourceDoc = DocOf<typeof sourceSchema>

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
