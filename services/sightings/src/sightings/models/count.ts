import { type InferSchemaType, Schema, type Types } from 'mongoose'

/** A user who counts for others. */
export interface CountingDoc {
  /** The user's id. */
  _id: Types.ObjectId
  since: Date
}

export type CountedKind = 'post' | 'text' | 'link'
export const countKey = (kind: CountedKind, name: string): string => `${kind} ${name}`

/** With more, it does not matter whether one of them asks. */
export const COUNTED_OWNERS = 22

/** The snapshot that answers are of. */
export interface SnapshotDoc {
  _id: 'counts'
  /** UTC, ISO. Empty before the first snapshot. */
  day: string
  /** Absent before the first snapshot. */
  run?: Types.ObjectId
  /** Fencing token of the snapshot that is being taken: one that has lost its lease does not replace another. */
  next?: Types.ObjectId
}

const required = true
export const countingSchema = new Schema<CountingDoc>(
  { since: { type: Date, required } },
  { collection: 'counting', versionKey: false },
)
export const countSchema = new Schema(
  {
    run: { type: Schema.Types.ObjectId, required },
    /** Kind and name: `post …`, `text …`, `link …`. */
    key: { type: String, required },
    n: { type: Number, required },
    /** At most `COUNTED_OWNERS`, to leave out who asks. */
    owners: { type: [Schema.Types.ObjectId], required },
    /** Of the earliest: `2026-11`. */
    first_month: { type: String, required },
  },
  { collection: 'counts', versionKey: false },
)
/** What the users who count have in common, as of a snapshot. */
export type CountDoc = InferSchemaType<typeof countSchema> & { _id: Types.ObjectId }
countSchema.index({ run: 1, key: 1 })
// For the deletion of an account.
countSchema.index({ owners: 1 })
export const snapshotSchema = new Schema<SnapshotDoc>(
  {
    _id: { type: String, required },
    day: { type: String, required },
    run: Schema.Types.ObjectId,
    next: Schema.Types.ObjectId,
  } as never,
  { collection: 'snapshots', versionKey: false },
)
