import type { InclusionProof } from '@iodine/contracts'
import { consistencyPath, inclusionPath, type NodeAt } from '@iodine/evidence'
import { invalid, notFound } from '@iodine/service-kit'
import { type CheckpointDoc, type LogModels, type LogNodeDoc, nodeId } from '../models/log.js'

const nodesOf =
  ({ nodes }: LogModels): NodeAt =>
  async (level, index) => {
    const node = await nodes.findById(nodeId(level, index)).orFail().lean<LogNodeDoc>()
    return node.hash
  }

/** The newest checkpoint, or that of a size. Throws 404. */
export const checkpointOf = async ({ checkpoints }: LogModels, size?: number): Promise<CheckpointDoc> => {
  const doc = await (size === undefined
    ? checkpoints.findOne().sort({ _id: -1 })
    : checkpoints.findById(size)
  ).lean<CheckpointDoc>()
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
