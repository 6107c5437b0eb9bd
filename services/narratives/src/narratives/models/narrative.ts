import { createHash } from 'node:crypto'
import { EXTRACTION_FAILURES, nodeIdOf } from '@iodine/contracts'
import { type DocOf, defineSchema } from '@iodine/service-kit'
import { Schema } from 'mongoose'

/**
 * - `open`: the extraction is in progress; shown only in the owner's list of open narratives
 * - `done`: listed and counted in the graph
 * - `failed`: kept without text for waiting requests, then removed; not listed
 * - `deleted`: neither listed nor counted; kept until its owner can no longer restore it, and the graph and the other
 *   services have removed it
 */
export const NARRATIVE_STATES = ['open', 'done', 'failed', 'deleted'] as const
export type NarrativeState = (typeof NARRATIVE_STATES)[number]

/** Reasons for missing triplets. `unavailable`: a service of this deployment was down. */
export const NARRATIVE_FAILURES = [...EXTRACTION_FAILURES, 'unavailable'] as const
export type NarrativeFailure = (typeof NARRATIVE_FAILURES)[number]

export interface TripletDoc {
  id: number
  subject: string
  verb: string
  object: string
  /** Sentence of the text that states the triplet; null if none was found. */
  cite: { start: number; end: number; score: number } | null
}

/** Selects a narrative only if its state is unchanged and it was not restored since it was read. */
export const unchanged = ({ _id, state, restored }: Pick<NarrativeDoc, '_id' | 'state' | 'restored'>) => ({
  _id,
  state,
  restored: restored ?? { $exists: false },
})

/** Returns 72 bits of a text's SHA-256. */
const keyOf = (text: string): string =>
  createHash('sha256').update(text).digest().subarray(0, 9).toString('base64url')

/** Returns a node's key from its id. */
export const nodeKey = (id: string): string => keyOf(id)

/** Returns a link's key from the ids of its nodes. */
export const linkKey = (from: string, to: string): string => keyOf(`${from}\n${to}`)

type Parts = Pick<TripletDoc, 'subject' | 'verb' | 'object'>

/** Returns the ids of a triplet's graph nodes. */
export const nodeIdsOf = ({ subject, verb, object }: Parts) => ({
  subject: nodeIdOf('entity', subject),
  verb: nodeIdOf('verb', verb),
  object: nodeIdOf('entity', object),
})

/** Returns the keys of the triplets' graph links and nodes. */
export const graphKeysOf = (triplets: readonly Parts[]): Pick<NarrativeDoc, 'link_keys' | 'node_keys'> => {
  const links = new Set<string>()
  const nodes = new Set<string>()
  for (const triplet of triplets) {
    const { subject, verb, object } = nodeIdsOf(triplet)
    links.add(linkKey(subject, verb)).add(linkKey(verb, object))
    for (const node of [subject, verb, object]) nodes.add(nodeKey(node))
  }
  return { link_keys: [...links], node_keys: [...nodes] }
}

const required = true
const plain = { _id: false, id: false } as const
const triplet = new Schema<TripletDoc>(
  {
    id: { type: Number, required },
    subject: { type: String, required },
    verb: { type: String, required },
    object: { type: String, required },
    cite: {
      type: new Schema(
        {
          start: { type: Number, required },
          end: { type: Number, required },
          score: { type: Number, required },
        },
        plain,
      ),
    },
  },
  plain,
)
export const narrativeSchema = defineSchema('narratives', {
  user_id: { type: Schema.Types.ObjectId, required },
  text: { type: String, required },
  src: { type: String, default: null },
  created_at: { type: Date, required },
  state: { type: String, enum: NARRATIVE_STATES, required },
  /** Hash of user, text and source. Unique while open, so that a double submit joins the first. */
  open_key: { type: String, required },
  failure: { type: String, enum: NARRATIVE_FAILURES },
  /** Seconds until the provider accepts requests again. */
  retry_after: Number,
  triplets: { type: [triplet], required },
  /** Keys of the graph links of the triplets, indexed to find a link's narratives. */
  link_keys: { type: [String], default: [] },
  /** Keys of the graph nodes of the triplets, indexed to find a node's narratives. */
  node_keys: { type: [String], default: [] },
  /** Id of the transaction that counted this narrative in the aggregates; null while it is not counted. */
  graph: { type: Schema.Types.ObjectId, default: null },
  /** Number of jobs that replaced a job without a result. */
  retries: { type: Number, default: 0 },
  /** End of the period in which a deleted narrative can be restored. Absent: its text is erased. */
  restore_until: Date,
  /** Number of restorations. Absent: none. */
  restored: Number,
})
export type NarrativeDoc = DocOf<typeof narrativeSchema>
narrativeSchema.index({ user_id: 1, state: 1, created_at: -1, _id: -1 })
narrativeSchema.index({ user_id: 1, link_keys: 1, created_at: -1, _id: -1 })
narrativeSchema.index({ user_id: 1, node_keys: 1, created_at: -1, _id: -1 })
narrativeSchema.index({ open_key: 1 }, { unique: true, partialFilterExpression: { state: 'open' } })

/** Returns the job id of a narrative's extraction. BullMQ rejects ids of only digits, hence the prefix. */
export const extractionJobId = ({ _id }: Pick<NarrativeDoc, '_id'>): string =>
  `narrative-${_id.toHexString()}`
