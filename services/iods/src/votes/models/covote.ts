import { type DocOf, defineSchema, typed } from '@iodine/service-kit'
import { Schema, type Types } from 'mongoose'

const required = true
export const covoteSchema = defineSchema(
  'covotes',
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
  { id: false },
)
/**
 * Number of times that two users voted together, in one build of the projection; with `a` equal to `b`, the number of
 * the user's votes. `up_to` prevents that a batch of votes is counted twice.
 */
export type CovoteDoc = DocOf<typeof covoteSchema>
covoteSchema.index({ build: 1, a: 1, n: 1 })
// For the deletion of an account.
covoteSchema.index({ b: 1 })

export const covoteBuildSchema = defineSchema(
  'covote_builds',
  {
    _id: { type: Number, required },
    begun_at: { type: Date, required },
    /** All votes up to this time are counted. */
    up_to: { type: Date, required },
    /** Batch of votes in progress, after `up_to`; repeated after a crash. */
    batch: { type: typed<{ to: Date; users: Types.ObjectId[] }>(Schema.Types.Mixed), default: null },
    /** Whether it has reached the present once. */
    live: { type: Boolean, required },
  },
  { id: false },
)
/** A build of the projection from scratch, with its progress. Readers use the newest live build. */
export type CovoteBuildDoc = DocOf<typeof covoteBuildSchema>
