import { createHash, createPrivateKey, createPublicKey, sign } from 'node:crypto'
import { DETAILS, LIMITS, naturalKey, RECORD_SCHEMAS, type RecordOf, type Source } from '@iodine/contracts'
import { checkpointText, leafHash, nodesAfterAppend, rootOf } from '@iodine/evidence'
import { checkPlainData, conflict, faults, hashOf, inTransaction, invalid } from '@iodine/service-kit'
import type { Types } from 'mongoose'
import { type Blobs, blobKey } from '../blobs/index.js'
import type { CollectorModels } from '../models/index.js'
import { type LogModels, type LogStateDoc, nodeId } from '../models/log.js'
import { handedOver } from '../policies/manifest.js'
import { ownCapture, type ReadableCapture } from '../policies/read-capture.js'

/** The key that signs checkpoints. */
export interface SealKey {
  id: string
  /** SubjectPublicKeyInfo in PEM. */
  publicKey: string
  sign(text: string): string
}

/** Reads an Ed25519 private key (PKCS#8, PEM). A key's id begins the SHA-256 of its public half. */
export const readSealKey = (pem: string): SealKey => {
  const privateKey = createPrivateKey(pem)
  const publicKey = createPublicKey(privateKey)
  const der = publicKey.export({ type: 'spki', format: 'der' })
  return {
    id: createHash('sha256').update(der).digest('hex').slice(0, 16),
    publicKey: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    sign: text => sign(null, Buffer.from(text), privateKey).toString('base64url'),
  }
}

/** Publishes the key. Those before it stay: what they signed is checked with them. */
export const publishKey = async ({ keys }: LogModels, { id, publicKey }: SealKey): Promise<void> => {
  await keys.updateOne(
    { _id: id },
    { $setOnInsert: { public_key: publicKey, created_at: new Date() } },
    { upsert: true },
  )
}

const strict = new TextDecoder('utf-8', { fatal: true })
const textOf = (bytes: Uint8Array, role: string): string => {
  try {
    return strict.decode(bytes)
  } catch {
    throw invalid([`${role}: is not UTF-8`])
  }
}

/** Checks blobs that are read later, and finds the record of the same page. Throws 422. */
const examine = async (
  { records }: CollectorModels,
  blobs: Blobs,
  capture: ReadableCapture,
): Promise<Types.ObjectId | undefined> => {
  let recordId: Types.ObjectId | undefined
  for (const { role, sha256 } of handedOver(capture.manifest)) {
    const bytes = await blobs.get(blobKey(capture._id.toHexString(), sha256))
    if (!bytes) throw conflict(DETAILS.captureIncomplete)
    if (role === 'dom') textOf(bytes, role)
    if (role === 'text' && textOf(bytes, role).length > LIMITS.captureTextMax)
      throw invalid([`text: must have at most ${LIMITS.captureTextMax} characters`])
    if (role === 'record') recordId = await findRecord(records, capture, textOf(bytes, role))
  }
  return recordId
}

const findRecord = async <S extends Source>(
  records: CollectorModels['records'],
  { user_id, source }: ReadableCapture & { source: S },
  text: string,
): Promise<Types.ObjectId | undefined> => {
  let record: unknown
  try {
    record = JSON.parse(text)
  } catch {
    throw invalid(['record: is not JSON'])
  }
  checkPlainData(record, 'record')
  const result = RECORD_SCHEMAS[source].safeParse(record)
  if (!result.success) throw invalid(faults(result.error, 'record'))
  const key = hashOf((naturalKey[source] as (record: RecordOf[S]) => string)(record as RecordOf[S]))
  const doc = await records.findOne({ user_id, source, key }, { _id: 1 }).lean<{ _id: Types.ObjectId }>()
  return doc?._id
}

/** Another process has appended to the log. */
class LogMoved extends Error {}
/** Another request has sealed or erased the capture. */
class Ended extends Error {}
const ATTEMPTS = 50

/**
 * Appends captures to the log: one at a time in this process; against other processes by a compare-and-set of the
 * log's size. Leaf, nodes, capture and the checkpoint of the new size are written in one transaction, so that the
 * log has no gap and each of its sizes is signed.
 */
export const createSealer = ({ mongo, captures, log }: CollectorModels, key: SealKey) => {
  let last: Promise<unknown> = Promise.resolve()

  const append = async (capture: ReadableCapture, record_id: Types.ObjectId | undefined): Promise<void> =>
    inTransaction(
      mongo,
      async session => {
        const state = await log.state.findById('log').session(session).lean<LogStateDoc>()
        const size = state?.size ?? 0
        const received_at = new Date()
        const { _id, manifest_hash, salt } = capture
        const leaf = await leafHash({ manifest_hash, salt, received_at: received_at.toISOString() })
        const { frontier, nodes } = await nodesAfterAppend(state?.frontier ?? [], size, leaf)
        if (state) {
          const moved = await log.state.updateOne(
            { _id: 'log', size },
            { $set: { size: size + 1, frontier } },
            { session },
          )
          if (moved.matchedCount === 0) throw new LogMoved()
        } else await log.state.collection.insertOne({ _id: 'log', size: 1, frontier } as never, { session })
        const { matchedCount } = await captures.updateOne(
          { _id, state: 'open' },
          { $set: { state: 'sealed', seq: size, received_at, ...(record_id && { record_id }) } },
          { session },
        )
        if (matchedCount === 0) throw new Ended()
        await log.nodes.collection.insertMany(
          nodes.map(({ level, index, hash }) => ({ _id: nodeId(level, index), hash })) as never,
          { session },
        )
        const root = await rootOf(frontier)
        const signed = { at: received_at.toISOString(), key_id: key.id, root, size: size + 1 }
        const sig = key.sign(checkpointText(signed))
        await log.checkpoints.collection.insertOne(
          { _id: signed.size, root, at: received_at, key_id: key.id, sig } as never,
          { session },
        )
      },
      { retriesDuplicates: true },
    )

  const appendInTurn = async (capture: ReadableCapture, record_id: Types.ObjectId | undefined) => {
    for (let attempt = 1; ; attempt++)
      try {
        return await append(capture, record_id)
      } catch (error) {
        if (error instanceof Ended) return
        if (!(error instanceof LogMoved) || attempt === ATTEMPTS) throw error
      }
  }
  return (capture: ReadableCapture, recordId: Types.ObjectId | undefined): Promise<unknown> => {
    const mine = last.then(() => appendInTurn(capture, recordId))
    last = mine.catch(() => {})
    return mine
  }
}
export type Sealer = ReturnType<typeof createSealer>

/**
 * Seals an own capture whose blobs are complete; a sealed one stays as it is. Throws 404, 409 for missing blobs,
 * 422 for blobs that are not what their role says.
 */
export const sealCapture = async (
  models: CollectorModels,
  blobs: Blobs,
  append: Sealer,
  userId: string,
  id: string,
): Promise<ReadableCapture> => {
  const capture = await ownCapture(models, userId, id)
  if (capture.state === 'sealed') return capture
  const missing = handedOver(capture.manifest).filter(({ sha256 }) => !capture.received.includes(sha256))
  if (missing.length > 0)
    throw conflict(`${DETAILS.captureIncomplete}: ${missing.map(({ sha256 }) => sha256).join(', ')}`)
  await append(capture, await examine(models, blobs, capture))
  return ownCapture(models, userId, id)
}
