import { type Connection, type DocOf, defineSchema, modelOf, typed } from '@iodine/service-kit'
import { Schema, type Types } from 'mongoose'

/** The pending writes of a leaf's append. */
export interface LogAppend {
  /** Capture that the leaf seals; absent for the manifest of a report. */
  capture_id?: Types.ObjectId
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

const required = true
const nodeSchema = defineSchema(
  'log_nodes',
  {
    /** `LEVEL.INDEX` */
    _id: { type: String, required },
    hash: { type: String, required },
  },
  { id: false },
)
/** A complete subtree of the log. Level 0 contains the leaves. */
export type LogNodeDoc = DocOf<typeof nodeSchema>
const checkpointSchema = defineSchema(
  'checkpoints',
  {
    /** Number of leaves. */
    _id: { type: Number, required },
    root: { type: String, required },
    at: { type: Date, required },
    key_id: { type: String, required },
    sig: { type: String, required },
    anchors: { type: typed<AnchorDoc[]>(Schema.Types.Mixed), default: undefined },
    /** Copy of the size if the checkpoint has anchors; indexed. */
    anchored_size: Number,
    /** Pending writes. Readers use the previous checkpoint meanwhile. Only the newest checkpoint may have them. */
    append: typed<LogAppend>(Schema.Types.Mixed),
  },
  { id: false },
)
export type CheckpointDoc = DocOf<typeof checkpointSchema>
checkpointSchema.index({ anchored_size: 1 }, { sparse: true })
const keySchema = defineSchema(
  'seal_keys',
  {
    _id: { type: String, required },
    /** SubjectPublicKeyInfo in PEM. */
    public_key: { type: String, required },
    created_at: { type: Date, required },
  },
  { id: false },
)
/** A key that signs, or signed, checkpoints. */
export type SealKeyDoc = DocOf<typeof keySchema>

export const createLogModels = (mongo: Connection) => ({
  nodes: modelOf(mongo, 'LogNode', nodeSchema),
  checkpoints: modelOf(mongo, 'Checkpoint', checkpointSchema),
  keys: modelOf(mongo, 'SealKey', keySchema),
})
export type LogModels = ReturnType<typeof createLogModels>

export const nodeId = (level: number, index: number): string => `${level}.${index}`
