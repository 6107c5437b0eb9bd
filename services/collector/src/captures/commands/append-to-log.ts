import { checkpointText, leafHash, nodesAfterAppend, rootOf, subtreesOf } from '@iodine/evidence'
import { isDuplicateKey } from '@iodine/service-kit'
import type { Types } from 'mongoose'
import pLimit from 'p-limit'
import type { CollectorStore } from '../../store.js'
import type { CaptureDoc } from '../models/capture.js'
import { type CheckpointDoc, type LogModels, type LogNodeDoc, nodeId } from '../models/log.js'
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

/** Manifest that becomes a leaf. */
export interface Leaf {
  manifest_hash: string
  salt: string
  /** Open capture that the leaf seals; absent for the manifest of a report. */
  capture_id?: Types.ObjectId
  /** Record of the same page. */
  record_id?: Types.ObjectId | undefined
}

/** Writes the pending part of a checkpoint's append: nodes and the seal of a capture. Idempotent across processes. */
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
  if (capture_id)
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
 * Appends leaves to the log, one at a time in this process. Processes compete by inserting the signed checkpoint of
 * the next size, whose id is unique. The other writes follow from that checkpoint. If this process is killed, the next
 * append completes them. A lock would outlive a killed process.
 */
export const createAppender = (store: CollectorStore, key: SealKey) => {
  const { captures, log } = store
  const oneAtATime = pLimit(1)

  /** Makes one attempt. Resolves to the size of the log, 0 for a sealed capture, or null if another process was first. */
  const append = async ({ manifest_hash, salt, capture_id, record_id }: Leaf): Promise<number | null> => {
    const newest = await log.checkpoints.findOne().sort({ _id: -1 }).lean<CheckpointDoc>()
    if (newest) await finishAppend(store, newest)
    // `finishAppend` may just have sealed this capture.
    if (capture_id && !(await captures.exists({ _id: capture_id, state: 'open' }))) return 0
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
        ...(capture_id && { capture_id }),
        ...(record_id && { record_id }),
        nodes: nodes.map(({ level, index, hash }) => ({ _id: nodeId(level, index), hash })),
      },
    }
    try {
      // The driver inserts: the document is complete.
      await log.checkpoints.collection.insertOne(checkpoint as never)
    } catch (error) {
      if (isDuplicateKey(error)) return null
      throw error
    }
    await finishAppend(store, checkpoint)
    return signed.size
  }

  const appendWithRetries = async (leaf: Leaf): Promise<number> => {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const size = await append(leaf)
      if (size !== null) return size
    }
    throw new Error(`other processes appended first ${ATTEMPTS} times in a row`)
  }
  /** Resolves to the size of the log with the leaf, 0 if its capture is no longer open. */
  return (leaf: Leaf): Promise<number> => oneAtATime(() => appendWithRetries(leaf))
}
export type Appender = ReturnType<typeof createAppender>
