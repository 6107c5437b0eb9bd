import { WATCH_CHANNELS, WATCH_KINDS, type WatchedSearch } from '@iodine/contracts'
import type { Signature } from '@iodine/likeness'
import { type DocOf, defineSchema, typed } from '@iodine/service-kit'
import { Schema } from 'mongoose'

const required = true
export const watchSchema = defineSchema('watches', {
  user_id: { type: Schema.Types.ObjectId, required },
  kind: { type: String, enum: WATCH_KINDS, required },
  /** IOD, campaign or user; null for other kinds. */
  subject_id: { type: Schema.Types.ObjectId, default: null },
  search: { type: typed<WatchedSearch>(Schema.Types.Mixed), default: null },
  /** Ids of the creators that the search names. */
  creators: { type: [Schema.Types.ObjectId], default: undefined },
  text: { type: String, default: null },
  /** Of a watched text. */
  signature: { type: typed<Signature>(Schema.Types.Mixed), default: undefined },
  name: { type: String, required },
  channels: { type: [String], enum: WATCH_CHANNELS, required },
  paused: { type: Boolean, required },
  created_at: { type: Date, required },
  /** Identity of what is watched: a user watches it once. */
  identity: { type: String, required },
  /** Index keys: an event matches only watches with a key that it has. */
  keys: { type: [String], required },
})
export type WatchDoc = DocOf<typeof watchSchema>
watchSchema.index({ user_id: 1, identity: 1 }, { unique: true })
watchSchema.index({ user_id: 1, created_at: -1, _id: -1 })
watchSchema.index({ keys: 1 })
// For the deletion of a watched user.
watchSchema.index({ subject_id: 1 }, { partialFilterExpression: { subject_id: { $type: 'objectId' } } })

/** State of the index of watches. */
export const indexSchema = defineSchema('index', {
  /** Always `index`. */
  _id: { type: String, required },
  /** Seed of the signatures, in base64. Secret, because it allows to craft texts that match others' watches. */
  seed: { type: String, required },
})

/** Returns the signature of a text; undefined for an empty text. */
export type SignText = (text: string) => Promise<Signature | undefined>
