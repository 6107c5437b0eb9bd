import { CAPTURE_STATES, type Manifest, SOURCES } from '@iodine/contracts'
import { type Connection, type DocOf, defineSchema, modelOf, typed } from '@iodine/service-kit'
import { Schema } from 'mongoose'

const required = true
const schema = defineSchema(
  'captures',
  {
    /** Absent once the account is deleted. */
    user_id: Schema.Types.ObjectId,
    source: { type: String, enum: SOURCES, required },
    /** The user's record of the same page. */
    record_id: Schema.Types.ObjectId,
    url: { type: String, required },
    /** Time that the manifest states. */
    captured_at: { type: String, required },
    created_at: { type: Date, required },
    /** Time of the seal; before sealing, time of creation. */
    received_at: { type: Date, required },
    /** `manifest`, `manifest_hash` and `salt` are absent once erased. */
    manifest: typed<Manifest>(Schema.Types.Mixed),
    manifest_hash: String,
    salt: String,
    state: { type: String, enum: CAPTURE_STATES, required },
    /** Leaf index in the log, once sealed. */
    seq: Number,
    shared: { type: Boolean, required },
    /** Total bytes of the expected blobs, counted towards the quota. */
    bytes: { type: Number, required },
    /** SHA-256 of the stored blobs. */
    received: { type: [String], required },
    /** Reason for an erasure by the operator. */
    reason: String,
  },
  { minimize: false },
)
export type CaptureDoc = DocOf<typeof schema>
schema.index(
  { user_id: 1, manifest_hash: 1 },
  { unique: true, partialFilterExpression: { user_id: { $exists: true }, manifest_hash: { $exists: true } } },
)
schema.index({ user_id: 1, created_at: -1, _id: -1 })
schema.index({ user_id: 1, record_id: 1, created_at: -1, _id: -1 })
schema.index({ seq: 1 }, { unique: true, sparse: true })
schema.index({ state: 1, created_at: 1 })

export const createCaptureModel = (mongo: Connection) => modelOf(mongo, 'Capture', schema)
