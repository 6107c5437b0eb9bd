import type { Connection } from '@iodine/service-kit'
import { Schema } from 'mongoose'

/** A complete subtree of the log: level 0 holds the leaves. */
export interface LogNodeDoc {
  /** `LEVEL.INDEX` */
  _id: string
  hash: string
}

/** The log's end. There is one such document. */
export interface LogStateDoc {
  _id: 'log'
  size: number
  /** Hashes of the complete subtrees that make up the tree, largest first. */
  frontier: string[]
}

export interface CheckpointDoc {
  /** Number of leaves. */
  _id: number
  root: string
  at: Date
  key_id: string
  sig: string
}

/** A key that signs, or signed, checkpoints. */
export interface SealKeyDoc {
  _id: string
  /** SubjectPublicKeyInfo in PEM. */
  public_key: string
  created_at: Date
}

const required = true
const options = { versionKey: false, id: false } as const
const nodeSchema = new Schema<LogNodeDoc>(
  { _id: { type: String, required }, hash: { type: String, required } },
  { ...options, collection: 'log_nodes' },
)
const stateSchema = new Schema<LogStateDoc>(
  {
    _id: { type: String, required },
    size: { type: Number, required },
    frontier: { type: [String], required },
  },
  { ...options, collection: 'log_state' },
)
const checkpointSchema = new Schema<CheckpointDoc>(
  {
    _id: { type: Number, required },
    root: { type: String, required },
    at: { type: Date, required },
    key_id: { type: String, required },
    sig: { type: String, required },
  },
  { ...options, collection: 'checkpoints' },
)
const keySchema = new Schema<SealKeyDoc>(
  {
    _id: { type: String, required },
    public_key: { type: String, required },
    created_at: { type: Date, required },
  },
  { ...options, collection: 'seal_keys' },
)

export const createLogModels = (mongo: Connection) => ({
  nodes: mongo.model<LogNodeDoc>('LogNode', nodeSchema),
  state: mongo.model<LogStateDoc>('LogState', stateSchema),
  checkpoints: mongo.model<CheckpointDoc>('Checkpoint', checkpointSchema),
  keys: mongo.model<SealKeyDoc>('SealKey', keySchema),
})
export type LogModels = ReturnType<typeof createLogModels>

export const nodeId = (level: number, index: number): string => `${level}.${index}`
