import { DETAILS, type InclusionProof, type Sealed } from '@iodine/contracts'
import { consistencyPath, inclusionPath, type NodeAt } from '@iodine/evidence'
import type { Anchored } from '@iodine/evidence/wacz'
import { conflict, invalid, notFound } from '@iodine/service-kit'
import type { CaptureDoc } from '../models/capture.js'
import {
  type CheckpointDoc,
  type LogModels,
  type LogNodeDoc,
  nodeId,
  type SealKeyDoc,
} from '../models/log.js'
import { presentCheckpoint, sealOf } from '../presenters/capture.js'

const nodesOf =
  ({ nodes }: LogModels): NodeAt =>
  async (level, index) => {
    const node = await nodes.findById(nodeId(level, index)).orFail().lean<LogNodeDoc>()
    return node.hash
  }

/** Returns the newest checkpoint whose append is complete; null while the log is empty. */
export const newestCheckpoint = ({ checkpoints }: LogModels): Promise<CheckpointDoc | null> =>
  checkpoints
    .findOne({ append: { $exists: false } })
    .sort({ _id: -1 })
    .lean<CheckpointDoc>()

/** Returns the checkpoint of a size, by default the newest. @throws HttpError 404 for an unknown size */
export const checkpointOf = async (log: LogModels, size?: number): Promise<CheckpointDoc> => {
  const doc = await (size === undefined
    ? newestCheckpoint(log)
    : log.checkpoints.findById(size).lean<CheckpointDoc>())
  if (!doc) throw notFound()
  return doc
}

/**
 * Returns the proof that a leaf is in the log of this size, by default the newest.
 * @throws HttpError 404 for an unknown leaf or size
 */
export const inclusionOf = async (log: LogModels, seq: number, size?: number): Promise<InclusionProof> => {
  const { _id: newest } = await checkpointOf(log)
  const of = size ?? newest
  if (of > newest || seq >= of) throw notFound()
  const nodeAt = nodesOf(log)
  const [leaf_hash, path] = await Promise.all([nodeAt(0, seq), inclusionPath(nodeAt, seq, of)])
  return { seq, size: of, leaf_hash, path }
}

/** Returns the consistency path between two sizes. @throws HttpError 422 for sizes that the log never had */
export const consistencyOf = async (log: LogModels, from: number, to: number): Promise<string[]> => {
  const { _id: newest } = await checkpointOf(log)
  if (from > to || to > newest) throw invalid(['to: must be from `from` to the size of the log'])
  return consistencyPath(nodesOf(log), from, to)
}

/** Returns the current and earlier keys that signed the log, newest first. */
export const keysOf = async ({ keys }: LogModels) => {
  const docs = await keys.find().sort({ created_at: -1 }).lean<SealKeyDoc[]>()
  return docs.map(({ _id, public_key }) => ({ key_id: _id, algorithm: 'Ed25519' as const, public_key }))
}

/**
 * Returns a capture's seal with its inclusion proof and the checkpoint that was signed with its leaf.
 * @throws HttpError 409 unless sealed
 */
export const sealedOf = async (log: LogModels, capture: CaptureDoc): Promise<Sealed> => {
  const seal = sealOf(capture)
  if (!seal) throw conflict(DETAILS.notSealed)
  const size = seal.seq + 1
  const [proof, checkpoint] = await Promise.all([inclusionOf(log, seal.seq, size), checkpointOf(log, size)])
  return { seq: seal.seq, seal, proof, checkpoint: presentCheckpoint(checkpoint) }
}

/** Returns the first time-stamped checkpoint of at least this size, with the consistency proof from this size. */
export const anchoredSince = async (log: LogModels, size: number): Promise<Anchored | undefined> => {
  const doc = await log.checkpoints
    .findOne({ anchored_size: { $gte: size } })
    .sort({ anchored_size: 1 })
    .lean<CheckpointDoc>()
  return doc
    ? { checkpoint: presentCheckpoint(doc), consistency: await consistencyOf(log, size, doc._id) }
    : undefined
}
