import { type DocOf, defineSchema, typed } from '@iodine/service-kit'
import { Schema } from 'mongoose'

export type CountKind = 'post' | 'text' | 'link'
export const countKey = (kind: CountKind, name: string): string => `${kind} ${name}`

/**
 * Owners stored per row. With more owners, the bucket does not depend on whether the requesting user is one of them.
 */
export const COUNT_OWNERS_MAX = 22

const required = true
/** A user who agreed to be counted. */
export const countingSchema = defineSchema('counting', {
  /** The user's id. */
  _id: { type: Schema.Types.ObjectId, required },
  since: { type: Date, required },
})
export const countSchema = defineSchema('counts', {
  run: { type: Schema.Types.ObjectId, required },
  /** Kind and name: `post …`, `text …`, `link …`. */
  key: { type: String, required },
  n: { type: Number, required },
  /** At most `COUNT_OWNERS_MAX`, to subtract the requesting user. */
  owners: { type: [Schema.Types.ObjectId], required },
  /** Month of the earliest sighting, such as `2026-11`. */
  first_month: { type: String, required },
})
/** Number of counted users who have a post, text or link, as of a snapshot. */
export type CountDoc = DocOf<typeof countSchema>
countSchema.index({ run: 1, key: 1 })
// For the deletion of an account.
countSchema.index({ owners: 1 })
/** The snapshot that responses use. */
export const snapshotSchema = defineSchema('snapshots', {
  _id: { type: typed<'counts'>(String), required },
  /** Day in UTC (ISO 8601). Empty before the first snapshot. */
  day: { type: String, required },
  /** Id of the snapshot's rows. Absent before the first snapshot. */
  run: Schema.Types.ObjectId,
  /** Fencing token of the snapshot under way: a handler that lost its lease cannot replace a newer snapshot. */
  next: Schema.Types.ObjectId,
})
