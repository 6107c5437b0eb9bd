import { foldLabel } from '@iodine/contracts'
import { hashOf } from '@iodine/service-kit'
import { Schema, type Types } from 'mongoose'
import type { NarrativeDoc } from './narrative.js'

/**
 * Number of times that a user's narratives of one day and source contain one triplet, by spelling. The graph
 * is summed from these. Spellings are kept apart, so that a change is one `$inc` and reads find the most
 * frequent one.
 */
export interface EdgeDoc {
  /** Hash of all fields below except the keys and the count. */
  _id: string
  user_id: Types.ObjectId
  /** Midnight UTC of the narratives' day. */
  day: Date
  src: string | null
  subject: string
  verb: string
  object: string
  /** The folded labels. */
  subject_key: string
  verb_key: string
  object_key: string
  count: number
}

export const DAY_MS = 86_400_000
export const dayOf = (time: Date): Date => new Date(Math.floor(time.getTime() / DAY_MS) * DAY_MS)

/** The edges of a narrative's triplets, equal ones counted together, sorted by id. */
export const edgesOf = ({
  user_id,
  created_at,
  src,
  triplets,
}: Pick<NarrativeDoc, 'user_id' | 'created_at' | 'src' | 'triplets'>): EdgeDoc[] => {
  const day = dayOf(created_at)
  const edges = new Map<string, EdgeDoc>()
  for (const { subject, verb, object } of triplets) {
    const _id = hashOf(JSON.stringify([user_id.toHexString(), day.getTime(), src, subject, verb, object]))
    const known = edges.get(_id)
    if (known) known.count++
    else
      edges.set(_id, {
        _id,
        user_id,
        day,
        src,
        subject,
        verb,
        object,
        subject_key: foldLabel(subject),
        verb_key: foldLabel(verb),
        object_key: foldLabel(object),
        count: 1,
      })
  }
  return [...edges.values()].sort((a, b) => (a._id < b._id ? -1 : 1))
}

export const edgeSchema = new Schema<EdgeDoc>(
  {
    _id: { type: String, required: true },
    user_id: Schema.Types.ObjectId,
    day: Date,
    src: { type: String, default: null },
    subject: String,
    verb: String,
    object: String,
    subject_key: String,
    verb_key: String,
    object_key: String,
    count: Number,
  },
  { collection: 'edges', versionKey: false, id: false },
)
edgeSchema.index({ user_id: 1, day: 1 })
edgeSchema.index({ user_id: 1, src: 1, day: 1 })
