import { type InferSchemaType, Schema, type Types } from 'mongoose'

export type CountKind = 'post' | 'text' | 'link'
export const countKey = (kind: CountKind, name: string): string => `${kind} ${name}`

/**
 * Owners stored per row. With more owners, the bucket does not depend on whether the requesting user is one of them.
 */
export const COUNT_OWNERS_MAX = 22

/** The snapshot that responses use. */
export interface SnapshotDoc {
  _id: 'counts'
  /** Day in UTC (ISO 8601). Empty before the first snapshot. */
  day: string
  /** Id of the snapshot's rows. Absent before the first snapshot. */
  run?: Types.ObjectId
  /** Fencing token of the snapshot under way: a handler that lost its lease cannot replace a newer snapshot. */
  next?: Types.ObjectId
}

const required = true
export const countingSchema = new Schema(
  {
    /** The user's id. */
    _id: { type: Schema.Types.ObjectId, required },
    since: { type: Date, required },
  },
  { collection: 'counting', versionKey: false },
)
/** A user who agreed to be counted. */
export type CountingDoc = InferSchemaType<typeof countingSchema>
export const countSchema = new Schema(
  {
    run: { type: Schema.Types.ObjectId, required },
    /** Kind and name: `post …`, `text …`, `link …`. */
    key: { type: String, required },
    n: { type: Number, required },
    /** At most `COUNT_OWNERS_MAX`, to subtract the requesting user. */
    owners: { type: [Schema.Types.ObjectId], required },
    /** Month of the earliest sighting, such as `2026-11`. */
    first_month: { type: String, required },
  },
  { collection: 'counts', versionKey: false },
)
/** Number of counted users who have a post, text or link, as of a snapshot. */
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
