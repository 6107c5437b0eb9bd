import type { Connection } from '@iodine/service-kit'
import { type InferSchemaType, Schema, type Types } from 'mongoose'

/** A complete subtree of the log. Level 0 contains the leaves. */
export interface LogNodeDoc {
  /** `LEVEL.INDEX` */
  _id: string
  hash: string
}

/** The pending writes of a leaf's append. */
export interface LogAppend {
  capture_id: Types.ObjectId
  record_id?: Types.ObjectId
  /** The leaf and the subtrees that it completes. */
  nodes: LogNodeDoc[]
}

/** An authority's time-stamp of a checkpoint (RFC 3161). */
export interface AnchorDoc {
  tsa: string
  /** DER in base64. */
  token: string
  at: Date
}

export interface CheckpointDoc {
  /** Number of leaves. */
  _id: number
  root: string
  at: Date
  key_id: string
  sig: string
  anchors?: AnchorDoc[]
  /** Copy of the size if the checkpoint has anchors; indexed. */
  anchored_size?: number
  /** Pending writes. Readers use the previous checkpoint meanwhile. Only the newest checkpoint may have them. */
  append?: LogAppend
}

const required = true
const options = { versionKey: false, id: false } as const
const nodeSchema = new Schema<LogNodeDoc>(
  { _id: { type: String, required }, hash: { type: String, required } },
  { ...options, collection: 'log_nodes' },
)
const checkpointSchema = new Schema<CheckpointDoc>(
  {
    _id: { type: Number, required },
    root: { type: String, required },
    at: { type: Date, required },
    key_id: { type: String, required },
    sig: { type: String, required },
    anchors: { type: Schema.Types.Mixed, default: undefined },
    anchored_size: Number,
    append: Schema.Types.Mixed,
  },
  { ...options, collection: 'checkpoints' },
)
checkpointSchema.index({ anchored_size: 1 }, { sparse: true })
const keySchema = new Schema(
  {
    _id: { type: String, required },
    /** SubjectPublicKeyInfo in PEM. */
    public_key: { type: String, required },
    created_at: { type: Date, required },
  },
  { ...options, collection: 'seal_keys' },
)
/** A key that signs, or signed, checkpoints. */
export type SealKeyDoc = InferSchemaType<typeof keySchema>

export const createLogModels = (mongo: Connection) => ({
  nodes: mongo.model<LogNodeDoc>('LogNode', nodeSchema),
  checkpoints: mongo.model<CheckpointDoc>('Checkpoint', checkpointSchema),
  keys: mongo.model<SealKeyDoc>('SealKey', keySchema),
})
export type LogModels = ReturnType<typeof createLogModels>

export const nodeId = (level: number, index: number): string => `${level}.${index}`
