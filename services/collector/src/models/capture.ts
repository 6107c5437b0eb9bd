import { CAPTURE_STATES, type CaptureState, type Manifest, SOURCES, type Source } from '@iodine/contracts'
import type { Connection } from '@iodine/service-kit'
import { Schema, type Types } from 'mongoose'

export interface CaptureDoc {
  _id: Types.ObjectId
  /** Absent once the account is deleted. */
  user_id?: Types.ObjectId
  source: Source
  /** The user's record of the same page. */
  record_id?: Types.ObjectId
  url: string
  /** As the collector says. */
  captured_at: string
  created_at: Date
  /** When its seal was made, or until then, when it was begun. */
  received_at: Date
  /** These three are absent once erased. */
  manifest?: Manifest
  manifest_hash?: string
  salt?: string
  state: CaptureState
  /** Place in the log, once sealed. */
  seq?: number
  shared: boolean
  /** Of all blobs that are handed over: what counts for the quota. */
  bytes: number
  /** The blobs that are stored. */
  received: string[]
  /** Why the team erased it. */
  reason?: string
}

const required = true
const schema = new Schema<CaptureDoc>(
  {
    user_id: Schema.Types.ObjectId,
    source: { type: String, enum: SOURCES, required },
    record_id: Schema.Types.ObjectId,
    url: { type: String, required },
    captured_at: { type: String, required },
    created_at: { type: Date, required },
    received_at: { type: Date, required },
    manifest: Schema.Types.Mixed,
    manifest_hash: String,
    salt: String,
    state: { type: String, enum: CAPTURE_STATES, required },
    seq: Number,
    shared: { type: Boolean, required },
    bytes: { type: Number, required },
    received: { type: [String], required },
    reason: String,
  },
  { collection: 'captures', versionKey: false, minimize: false },
)
schema.index(
  { user_id: 1, manifest_hash: 1 },
  { unique: true, partialFilterExpression: { user_id: { $exists: true }, manifest_hash: { $exists: true } } },
)
schema.index({ user_id: 1, created_at: -1, _id: -1 })
schema.index({ user_id: 1, record_id: 1, created_at: -1, _id: -1 })
schema.index({ seq: 1 }, { unique: true, sparse: true })
schema.index({ state: 1, created_at: 1 })

export const createCaptureModel = (mongo: Connection) => mongo.model<CaptureDoc>('Capture', schema)
