import { evidenceInternal, id, sha256 } from '@iodine/contracts'
import type { Kind, KindSpec, Peers } from '@iodine/service-kit'
import { Types } from 'mongoose'
import { z } from 'zod'
import { type Blobs, blobKey } from '../blobs/index.js'
import type { CaptureDoc } from '../models/capture.js'
import type { CollectorModels } from '../models/index.js'
import { handedOver } from '../policies/manifest.js'

/** How long blobs of a capture may be missing. */
const OPEN_MS = 24 * 3_600_000
const AT_ONCE = 100

const erasure = z.strictObject({ id, blobs: z.array(sha256) })
/** An erased capture, and the hashes of its blobs. */
export type Erasure = z.output<typeof erasure>

const deletedRecord = z.strictObject({ id, user_id: id })
export type DeletedRecord = z.output<typeof deletedRecord>

interface Erasing extends Pick<CollectorModels, 'captures' | 'quotas'> {
  erasures: Kind<Erasure>
}

/** Work of the outbox: deletes the blobs of an erased capture. */
export const blobDeletion = (blobs: Blobs): KindSpec<Erasure> => ({
  payload: erasure,
  keyOf: ({ id }) => id,
  handle: async ([capture]) => capture && blobs.delete(capture.blobs.map(hash => blobKey(capture.id, hash))),
})

/**
 * Erases a capture: manifest, hash and salt at once, its blobs by the outbox. Its place in the log stays; one that was
 * never sealed leaves nothing. Resolves to false if it was erased before.
 * @param reason why the team erases it
 */
export const eraseCapture = (
  { captures, quotas, erasures }: Erasing,
  { _id, user_id }: Pick<CaptureDoc, '_id' | 'user_id'>,
  reason?: string,
): Promise<boolean> =>
  quotas.settle(async (session, take) => {
    const doc = await captures
      .findOne({ _id, state: { $ne: 'erased' } })
      .session(session)
      .lean<CaptureDoc>()
    if (!doc) return false
    if (doc.seq === undefined) await captures.deleteOne({ _id }, { session })
    else
      await captures.updateOne(
        { _id },
        {
          $set: {
            state: 'erased',
            shared: false,
            url: '',
            bytes: 0,
            received: [],
            ...(reason !== undefined && { reason }),
          },
          $unset: { manifest: 1, manifest_hash: 1, salt: 1, record_id: 1, user_id: 1 },
        },
        { session },
      )
    const hashes = doc.manifest ? handedOver(doc.manifest).map(blob => blob.sha256) : []
    await erasures.add({ id: _id.toHexString(), blobs: hashes }, { session })
    if (user_id) await take(user_id, { capture_bytes: -doc.bytes })
    return true
  })

/** Erases captures whose blobs are still missing after a day. */
export const eraseOpenCaptures = async (store: Erasing, signal: AbortSignal): Promise<void> => {
  const old = store.captures
    .find({ state: 'open', created_at: { $lt: new Date(Date.now() - OPEN_MS) } })
    .lean<CaptureDoc>()
    .cursor()
  for await (const doc of old) {
    if (signal.aborted) return
    await eraseCapture(store, doc)
  }
}

/** Work of the outbox: erases the captures of a deleted record. Those that evidence names stay, without the record. */
export const uncitedErasure = (store: Erasing, peers: Peers): KindSpec<DeletedRecord> => ({
  payload: deletedRecord,
  keyOf: ({ id }) => id,
  async handle([record]) {
    if (!record) return
    const { captures } = store
    const docs = await captures
      .find({ user_id: new Types.ObjectId(record.user_id), record_id: new Types.ObjectId(record.id) })
      .limit(AT_ONCE)
      .lean<CaptureDoc[]>()
    if (docs.length === 0) return
    const ids = docs.map(({ _id }) => _id.toHexString())
    const cited = new Set(await peers.call('iods', evidenceInternal.citedCaptures, { body: { ids } }))
    await captures.updateMany({ _id: { $in: [...cited] } }, { $unset: { record_id: 1 } })
    for (const doc of docs) if (!cited.has(doc._id.toHexString())) await eraseCapture(store, doc)
    return docs.length === AT_ONCE ? 0 : undefined
  },
})

/** Erases a deleted user's captures; those that are shared become unowned. */
export const forgetCaptures = async (store: Erasing, user_id: Types.ObjectId): Promise<void> => {
  const { captures } = store
  for (;;) {
    const docs = await captures
      .find({ user_id, state: { $ne: 'erased' }, $nor: [{ shared: true, state: 'sealed' }] })
      .limit(AT_ONCE)
      .lean<CaptureDoc[]>()
    if (docs.length === 0) break
    for (const doc of docs) await eraseCapture(store, doc)
  }
  await captures.updateMany({ user_id }, { $unset: { user_id: 1, record_id: 1 } })
}
