import { foldLabel } from '@iodine/contracts'
import { type DocOf, defineSchema, type GramLengths, gramsOf, gramsOfTerm, hashOf } from '@iodine/service-kit'
import { Schema } from 'mongoose'
import type { NarrativeDoc } from '../../narratives/models/narrative.js'

/** An edge without its grams, which reads do not need. */
export type UnindexedEdge = Omit<EdgeDoc, 'grams'>

const LENGTHS: GramLengths = { shortest: 3 }
/** Maps the grams of verbs to values different from those of entities. */
const ofVerb = (gram: number): number => gram ^ 0x5bd1e995

const gramsOfEdge = ({
  subject_key,
  verb_key,
  object_key,
}: Pick<EdgeDoc, 'subject_key' | 'verb_key' | 'object_key'>): number[] => [
  ...gramsOf([subject_key, object_key], LENGTHS),
  ...gramsOf([verb_key], LENGTHS).map(ofVerb),
]

/** Returns the grams that all matches of folded filters contain: none if the filters are shorter than a gram. */
export const gramsOfFilters = (entity: string, verb: string): number[] => [
  ...gramsOfTerm(entity, LENGTHS),
  ...gramsOfTerm(verb, LENGTHS).map(ofVerb),
]

export const DAY_MS = 86_400_000
export const dayOf = (time: Date): Date => new Date(Math.floor(time.getTime() / DAY_MS) * DAY_MS)

/** Returns the edges of a narrative's triplets without grams, equal ones counted together, sorted by id. */
export const edgesOf = ({
  user_id,
  created_at,
  src,
  triplets,
}: Pick<NarrativeDoc, 'user_id' | 'created_at' | 'src' | 'triplets'>): UnindexedEdge[] => {
  const day = dayOf(created_at)
  const edges = new Map<string, UnindexedEdge>()
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

/** Returns the stored form of an edge. */
export const withGrams = (edge: UnindexedEdge): EdgeDoc => ({ ...edge, grams: gramsOfEdge(edge) })

const required = true
export const edgeSchema = defineSchema('edges', {
  /** Hash of all fields below except the keys, the count and the grams. */
  _id: { type: String, required },
  user_id: { type: Schema.Types.ObjectId, required },
  /** Midnight UTC of the narratives' day. */
  day: { type: Date, required },
  src: { type: String, default: null },
  subject: { type: String, required },
  verb: { type: String, required },
  object: { type: String, required },
  /** The folded labels. */
  subject_key: { type: String, required },
  verb_key: { type: String, required },
  object_key: { type: String, required },
  count: { type: Number, required },
  /** Part of the count that the user's sums lack; may be negative. Absent: none. Without sums: the whole count. */
  due: Number,
  /**
   * The 3-grams of the labels, for filters. Shorter grams would double their number and select little. Excluded from
   * reads by default.
   */
  grams: { type: [Number], required, select: false },
})
/**
 * Number of times that a user's narratives of one day and source contain one triplet, by spelling. The graph is
 * summed from these. Each spelling has a document, so that a change is one `$inc` and reads find the most frequent one.
 */
export type EdgeDoc = DocOf<typeof edgeSchema>
edgeSchema.index({ user_id: 1, day: 1 })
edgeSchema.index({ user_id: 1, src: 1, day: 1 })
edgeSchema.index({ grams: 1, user_id: 1 })
edgeSchema.index({ user_id: 1, due: 1 }, { partialFilterExpression: { due: { $exists: true } } })
