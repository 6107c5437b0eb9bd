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
 * How often two users voted together, as one build of the projection knows it. With `a` equal to `b`: how many
 * votes the user has. `up_to` makes counting a batch of votes twice impossible.
 */
export type CovoteDoc = InferSchemaType<typeof covoteSchema>
covoteSchema.index({ build: 1, a: 1, n: 1 })
// For the deletion of an account.
covoteSchema.index({ b: 1 })

/** A build of the projection from scratch, and how far it has come. The newest live one is read. */
export interface CovoteBuildDoc {
  _id: number
  begun_at: Date
  /** All votes up to this time are counted. */
  up_to: Date
  /** The batch of votes that is being counted, after `up_to`; counted again after a crash. */
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
