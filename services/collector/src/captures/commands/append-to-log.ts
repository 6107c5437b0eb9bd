import { checkpointText, leafHash, nodesAfterAppend, rootOf, subtreesOf } from '@iodine/evidence'
import { isDuplicateKey } from '@iodine/service-kit'
import type { Types } from 'mongoose'
import pLimit from 'p-limit'
import type { CollectorStore } from '../../store.js'
import type { CaptureDoc } from '../models/capture.js'
import { type CheckpointDoc, type LogModels, type LogNodeDoc, nodeId } from '../models/log.js'
import type { ReadableCapture } from '../policies/read-capture.js'
import type { SealKey } from '../policies/seal-key.js'

/** Publishes the key. Earlier keys stay, because they verify earlier checkpoints. */
export const publishKey = async ({ keys }: LogModels, { id, publicKey }: SealKey): Promise<void> => {
  await keys.updateOne(
    { _id: id },
    { $setOnInsert: { public_key: publicKey, created_at: new Date() } },
    { upsert: true },
  )
}

const ATTEMPTS = 50

/** Returns the hashes of the complete subtrees of the log of this size, largest first. */
const frontierOf = async ({ nodes }: LogModels, size: number): Promise<string[]> => {
  const ids = subtreesOf(size).map(({ level, index }) => nodeId(level, index))
  const docs = await nodes.find({ _id: { $in: ids } }).lean<LogNodeDoc[]>()
  const hashes = new Map(docs.map(({ _id, hash }) => [_id, hash]))
  return ids.map(id => {
    const hash = hashes.get(id)
    if (hash === undefined) throw new Error(`the log of ${size} leaves lacks its node ${id}`)
    return hash
  })
}

/** Writes the pending part of a checkpoint's append: nodes and the capture's seal. Idempotent across processes. */
const finishAppend = async (
  { captures, records, log, deletedRecords }: CollectorStore,
  { _id, at, append }: CheckpointDoc,
): Promise<void> => {
  if (!append) return
  const { capture_id, record_id, nodes } = append
  await log.nodes.bulkWrite(
    nodes.map(({ _id, hash }) => ({
      updateOne: { filter: { _id }, update: { $setOnInsert: { hash } }, upsert: true },
    })),
  )
  // A capture that was erased meanwhile stays erased. Its leaf stays in the log.
  await captures.updateOne(
    { _id: capture_id, state: 'open' },
    { $set: { state: 'sealed', seq: _id - 1, received_at: at, ...(record_id && { record_id }) } },
  )
  // The record's deletion may have looked for captures before this one was sealed.
  if (record_id && !(await records.exists({ _id: record_id }))) {
    const capture = await captures.findById(capture_id, { user_id: 1 }).lean<CaptureDoc>()
    if (capture?.user_id)
      await deletedRecords.add({ ids: [record_id.toHexString()], user_id: capture.user_id.toHexString() })
  }
  await log.checkpoints.updateOne({ _id }, { $unset: { append: 1 } })
}

/**
 * Appends captures to the log, one at a time in this process. Processes compete by inserting the signed checkpoint of
 * the next size, whose id is unique. The other writes follow from that checkpoint. If this process is killed, the next
 * append completes them. A lock would outlive a killed process.
 */
export const createAppender = (store: CollectorStore, key: SealKey) => {
  const { captures, log } = store
  const oneAtATime = pLimit(1)

  /** Makes one attempt. Resolves to false if another process appended first. */
  const append = async (
    capture: ReadableCapture,
    record_id: Types.ObjectId | undefined,
  ): Promise<boolean> => {
    const newest = await log.checkpoints.findOne().sort({ _id: -1 }).lean<CheckpointDoc>()
    if (newest) await finishAppend(store, newest)
    const { _id, manifest_hash, salt } = capture
    // `finishAppend` may just have sealed this capture.
    if (!(await captures.exists({ _id, state: 'open' }))) return true
    const size = newest?._id ?? 0
    const at = new Date()
    const leaf = await leafHash({ manifest_hash, salt, received_at: at.toISOString() })
    const { frontier, nodes } = await nodesAfterAppend(await frontierOf(log, size), size, leaf)
    const root = await rootOf(frontier)
    const signed = { at: at.toISOString(), key_id: key.id, root, size: size + 1 }
    const checkpoint: CheckpointDoc = {
      _id: signed.size,
      root,
      at,
      key_id: key.id,
      sig: key.sign(checkpointText(signed)),
      append: {
        capture_id: _id,
        ...(record_id && { record_id }),
        nodes: nodes.map(({ level, index, hash }) => ({ _id: nodeId(level, index), hash })),
      },
    }
    try {
      // The driver inserts: the document is complete.
      await log.checkpoints.collection.insertOne(checkpoint as never)
    } catch (error) {
      if (isDuplicateKey(error)) return false
      throw error
    }
    await finishAppend(store, checkpoint)
    return true
  }

  const appendWithRetries = async (capture: ReadableCapture, recordId: Types.ObjectId | undefined) => {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) if (await append(capture, recordId)) return
    throw new Error(`other processes appended first ${ATTEMPTS} times in a row`)
  }
  return (capture: ReadableCapture, recordId: Types.ObjectId | undefined): Promise<void> =>
    oneAtATime(() => appendWithRetries(capture, recordId))
}
export type Appender = ReturnType<typeof createAppender>
