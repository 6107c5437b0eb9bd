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

/** The newest checkpoint whose append is finished; null while the log is empty. */
export const newestCheckpoint = ({ checkpoints }: LogModels): Promise<CheckpointDoc | null> =>
  checkpoints
    .findOne({ append: { $exists: false } })
    .sort({ _id: -1 })
    .lean<CheckpointDoc>()

/** The newest checkpoint, or that of a size. Throws 404. */
export const checkpointOf = async (log: LogModels, size?: number): Promise<CheckpointDoc> => {
  const doc = await (size === undefined
    ? newestCheckpoint(log)
    : log.checkpoints.findById(size).lean<CheckpointDoc>())
  if (!doc) throw notFound()
  return doc
}

/** That a leaf is in the log of this size, by default the newest. Throws 404 for a leaf that it does not have. */
export const inclusionOf = async (log: LogModels, seq: number, size?: number): Promise<InclusionProof> => {
  const { _id: newest } = await checkpointOf(log)
  const of = size ?? newest
  if (of > newest || seq >= of) throw notFound()
  const nodeAt = nodesOf(log)
  const [leaf_hash, path] = await Promise.all([nodeAt(0, seq), inclusionPath(nodeAt, seq, of)])
  return { seq, size: of, leaf_hash, path }
}

/** The consistency path between two sizes. Throws 422 for sizes that the log never had. */
export const consistencyOf = async (log: LogModels, from: number, to: number): Promise<string[]> => {
  const { _id: newest } = await checkpointOf(log)
  if (from > to || to > newest) throw invalid(['to: must be from `from` to the size of the log'])
  return consistencyPath(nodesOf(log), from, to)
}

/** The keys that sign or signed the log, newest first. */
export const keysOf = async ({ keys }: LogModels) => {
  const docs = await keys.find().sort({ created_at: -1 }).lean<SealKeyDoc[]>()
  return docs.map(({ _id, public_key }) => ({ key_id: _id, algorithm: 'Ed25519' as const, public_key }))
}

/** A capture's seal, proved in the log as it was signed with that leaf. Throws 409 unless sealed. */
export const sealedOf = async (log: LogModels, capture: CaptureDoc): Promise<Sealed> => {
  const seal = sealOf(capture)
  if (!seal) throw conflict(DETAILS.notSealed)
  const size = seal.seq + 1
  const [proof, checkpoint] = await Promise.all([inclusionOf(log, seal.seq, size), checkpointOf(log, size)])
  return { seq: seal.seq, seal, proof, checkpoint: presentCheckpoint(checkpoint) }
}

/** The first time-stamped checkpoint of at least this size, and that the log of this size is its beginning. */
export const anchoredSince = async (log: LogModels, size: number): Promise<Anchored | undefined> => {
  const doc = await log.checkpoints
    .findOne({ anchored_size: { $gte: size } })
    .sort({ anchored_size: 1 })
    .lean<CheckpointDoc>()
  return doc
    ? { checkpoint: presentCheckpoint(doc), consistency: await consistencyOf(log, size, doc._id) }
    : undefined
}
