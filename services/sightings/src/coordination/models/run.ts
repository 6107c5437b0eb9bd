import {
  type CoordinationNetwork,
  type CoordinationRun,
  RUN_STATES,
  type RunSubject,
  type ShareKind,
} from '@iodine/contracts'
import { type DocOf, defineSchema, typed } from '@iodine/service-kit'
import { Schema, type Types } from 'mongoose'

/** Two accounts that share the same content. */
export type NetworkEdge = CoordinationNetwork['edges'][number]

/** Two posts by the edge's accounts, the older one first, as ids of their records. */
export interface EdgePair<Id> {
  kind: ShareKind
  /** The link or hashtag. */
  object: string | null
  older: Id
  newer: Id
  delta_s: number
}

const required = true
const id = Schema.Types.ObjectId
export const runSchema = defineSchema(
  'runs',
  {
    owner: { type: id, required },
    state: { type: String, enum: RUN_STATES, required },
    /** Slot among the user's concurrent runs; absent once finished. */
    place: Number,
    progress: { type: Number, required },
    kinds: { type: typed<ShareKind[]>([String]), required },
    window_s: { type: Number, required },
    min_participation: { type: Number, required },
    since: { type: Date, default: null },
    until: { type: Date, default: null },
    scope: { type: typed<CoordinationRun['scope']>(String), required },
    /** Restricts the run to posts about this. Absent: all posts. */
    about: typed<RunSubject>(Schema.Types.Mixed),
    /** The user's own records that were left out, at most `LIMITS.coordinationOmitted`; absent until done. */
    left_out: typed<{ record: Types.ObjectId; why: 'time' | 'account' }[]>(Schema.Types.Mixed),
    created_at: { type: Date, required },
    expires_at: { type: Date, required },
    problem: { type: String, default: null },
    totals: { type: typed<NonNullable<CoordinationRun['totals']>>(Schema.Types.Mixed), default: null },
    truncated: { type: typed<CoordinationRun['truncated']>(Schema.Types.Mixed), required },
  },
  { minimize: false },
)
/** A search for accounts that share the same content. */
export type RunDoc = DocOf<typeof runSchema>
runSchema.index(
  { owner: 1, place: 1 },
  { unique: true, partialFilterExpression: { place: { $exists: true } } },
)
runSchema.index({ owner: 1, created_at: -1 })
runSchema.index({ expires_at: 1 }, { expireAfterSeconds: 0 })

export const edgeSchema = defineSchema('edges', {
  run: { type: id, required },
  /** The run's owner. */
  owner: { type: id, required },
  /** Position by weight; 0 is the heaviest. */
  rank: { type: Number, required },
  a: { type: String, required },
  b: { type: String, required },
  weight: { type: Number, required },
  avg_delta_s: { type: Number, required },
  n_a: { type: Number, required },
  n_b: { type: Number, required },
  symmetry: { type: Number, required },
  significant: { type: Boolean, default: null },
  p_value: { type: Number, default: null },
  q_value: { type: Number, default: null },
  pairs: { type: typed<EdgePair<Types.ObjectId>[]>(Schema.Types.Mixed), required },
  /** Other users, and their records, that the edge refers to. It is removed with any of them. */
  owners: { type: [id], required },
  foreign: { type: [id], required },
  expires_at: { type: Date, required },
})
export type EdgeDoc = DocOf<typeof edgeSchema>
edgeSchema.index({ run: 1, rank: 1 })
edgeSchema.index({ run: 1, a: 1, b: 1 })
// For the deletion of accounts and records, and the end of sharing.
edgeSchema.index({ owner: 1 })
edgeSchema.index({ owners: 1 })
edgeSchema.index({ foreign: 1 })
edgeSchema.index({ expires_at: 1 }, { expireAfterSeconds: 0 })
