import { type InferSchemaType, Schema, type Types } from 'mongoose'

const required = true
export const covoteSchema = new Schema(
  {
    /** `build:a:b`, a ≤ b. */
    _id: { type: String, required },
    build: { type: Number, required },
    a: { type: Schema.Types.ObjectId, required },
    b: { type: Schema.Types.ObjectId, required },
    n: { type: Number, required },
    /** End of the last batch that changed the document. */
    up_to: { type: Date, required },
  },
  { collection: 'covotes', versionKey: false, id: false },
)
/**
 * Number of times that two users voted together, in one build of the projection; with `a` equal to `b`, the number of
 * the user's votes. `up_to` prevents that a batch of votes is counted twice.
 */
export type CovoteDoc = InferSchemaType<typeof covoteSchema>
covoteSchema.index({ build: 1, a: 1, n: 1 })
// For the deletion of an account.
covoteSchema.index({ b: 1 })

/** A build of the projection from scratch, with its progress. Readers use the newest live build. */
export interface CovoteBuildDoc {
  _id: number
  begun_at: Date
  /** All votes up to this time are counted. */
  up_to: Date
  /** Batch of votes in progress, after `up_to`; repeated after a crash. */
  batch: { to: Date; users: Types.ObjectId[] } | null
  /** Whether it has reached the present once. */
  live: boolean
}

export const covoteBuildSchema = new Schema<CovoteBuildDoc>(
  {
    _id: { type: Number, required },
    begun_at: { type: Date, required },
    up_to: { type: Date, required },
    batch: { type: Schema.Types.Mixed, default: null },
    live: { type: Boolean, required },
  },
  { collection: 'covote_builds', versionKey: false, id: false },
)
