import {
  type CoordinationNetwork,
  type CoordinationRun,
  RUN_STATES,
  type RunSubject,
  type ShareKind,
} from '@iodine/contracts'
import { Schema, type Types } from 'mongoose'

/** Fields of a run that are stored as they are presented. */
type RunFields = Omit<CoordinationRun, 'id' | 'since' | 'until' | 'about' | 'created_at' | 'expires_at'>

/** A search for accounts that share the same content. */
export interface RunDoc extends RunFields {
  _id: Types.ObjectId
  owner: Types.ObjectId
  /** Slot among the user's concurrent runs; absent once finished. */
  place?: number
  since: Date | null
  until: Date | null
  /** Restricts the run to posts about this. Absent: all posts. */
  about?: RunSubject
  /** The user's own records that were left out, at most `LIMITS.coordinationOmitted`; absent until done. */
  left_out?: { record: Types.ObjectId; why: 'time' | 'account' }[]
  created_at: Date
  expires_at: Date
}

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

export interface EdgeDoc extends NetworkEdge {
  _id: Types.ObjectId
  run: Types.ObjectId
  /** The run's owner. */
  owner: Types.ObjectId
  /** Position by weight; 0 is the heaviest. */
  rank: number
  pairs: EdgePair<Types.ObjectId>[]
  /** Other users, and their records, that the edge refers to. It is removed with any of them. */
  owners: Types.ObjectId[]
  foreign: Types.ObjectId[]
  expires_at: Date
}

const required = true
const id = Schema.Types.ObjectId
export const runSchema = new Schema<RunDoc>(
  {
    owner: { type: id, required },
    state: { type: String, enum: RUN_STATES, required },
    place: Number,
    progress: { type: Number, required },
    kinds: { type: [String], required },
    window_s: { type: Number, required },
    min_participation: { type: Number, required },
    since: Date,
    until: Date,
    scope: { type: String, required },
    about: Schema.Types.Mixed,
    left_out: { type: Schema.Types.Mixed },
    created_at: { type: Date, required },
    expires_at: { type: Date, required },
    problem: String,
    totals: Schema.Types.Mixed,
    truncated: Schema.Types.Mixed,
  },
  { collection: 'runs', versionKey: false, minimize: false },
)
runSchema.index(
  { owner: 1, place: 1 },
  { unique: true, partialFilterExpression: { place: { $exists: true } } },
)
runSchema.index({ owner: 1, created_at: -1 })
runSchema.index({ expires_at: 1 }, { expireAfterSeconds: 0 })

export const edgeSchema = new Schema<EdgeDoc>(
  {
    run: { type: id, required },
    owner: { type: id, required },
    rank: { type: Number, required },
    a: { type: String, required },
    b: { type: String, required },
    weight: { type: Number, required },
    avg_delta_s: { type: Number, required },
    n_a: { type: Number, required },
    n_b: { type: Number, required },
    symmetry: { type: Number, required },
    significant: Boolean,
    p_value: Number,
    q_value: Number,
    pairs: { type: Schema.Types.Mixed },
    owners: { type: [id], default: undefined },
    foreign: { type: [id], default: undefined },
    expires_at: { type: Date, required },
  } as never,
  { collection: 'edges', versionKey: false },
)
edgeSchema.index({ run: 1, rank: 1 })
edgeSchema.index({ run: 1, a: 1, b: 1 })
// For the deletion of accounts and records, and the end of sharing.
edgeSchema.index({ owner: 1 })
edgeSchema.index({ owners: 1 })
edgeSchema.index({ foreign: 1 })
edgeSchema.index({ expires_at: 1 }, { expireAfterSeconds: 0 })
