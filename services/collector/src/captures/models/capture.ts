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
  /** Time that the manifest states. */
  captured_at: string
  created_at: Date
  /** Time of the seal; before sealing, time of creation. */
  received_at: Date
  /** `manifest`, `manifest_hash` and `salt` are absent once erased. */
  manifest?: Manifest
  manifest_hash?: string
  salt?: string
  state: CaptureState
  /** Leaf index in the log, once sealed. */
  seq?: number
  shared: boolean
  /** Total bytes of the expected blobs, counted towards the quota. */
  bytes: number
  /** SHA-256 of the stored blobs. */
  received: string[]
  /** Reason for an erasure by the operator. */
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
