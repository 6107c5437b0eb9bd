import { evidenceInternal, id, sha256 } from '@iodine/contracts'
import type { Kind, KindSpec, Peers } from '@iodine/service-kit'
import { Types } from 'mongoose'
import { z } from 'zod'
import type { CollectorModels } from '../../models.js'
import type { DeletedRecords } from '../../records/commands/delete-record.js'
import { type Blobs, blobKey } from '../blobs/index.js'
import type { CaptureDoc } from '../models/capture.js'
import { expectedBlobs } from '../policies/manifest.js'

/** Open captures expire after this time. */
const OPEN_MS = 24 * 3_600_000
const BATCH = 100

const erasure = z.strictObject({ id, blobs: z.array(sha256) })
/** An erased capture with the hashes of its blobs. */
export type Erasure = z.output<typeof erasure>

const deletedRecords = z.strictObject({ ids: z.array(id), user_id: id })

interface ErasureContext extends Pick<CollectorModels, 'captures' | 'quotas'> {
  erasures: Kind<Erasure>
}

/** Outbox handler: deletes the blobs of an erased capture. */
export const blobDeletion = (blobs: Blobs): KindSpec<Erasure> => ({
  payload: erasure,
  keyOf: ({ id }) => id,
  handle: async ([capture]) => capture && blobs.delete(capture.blobs.map(hash => blobKey(capture.id, hash))),
})

/**
 * Erases a capture: manifest, hash and salt at once, its blobs through the outbox. A sealed capture keeps its leaf in
 * the log; an open one is deleted. Resolves to false if the capture is already erased.
 * @param reason why the team erases it
 * @param state erases only a capture in this state
 */
export const eraseCapture = (
  { captures, quotas, erasures }: ErasureContext,
  { _id }: Pick<CaptureDoc, '_id'>,
  { reason, state }: { reason?: string; state?: 'open' } = {},
): Promise<boolean> =>
  quotas.settle(async (session, take) => {
    const doc = await captures
      .findOne({ _id, state: state ?? { $ne: 'erased' } })
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
    const hashes = doc.manifest ? expectedBlobs(doc.manifest).map(blob => blob.sha256) : []
    await erasures.add({ id: _id.toHexString(), blobs: hashes }, { session })
    if (doc.user_id) await take(doc.user_id, { capture_bytes: -doc.bytes })
    return true
  })

/** Erases captures that are still open after a day. */
export const eraseOpenCaptures = async (store: ErasureContext, signal: AbortSignal): Promise<void> => {
  const old = store.captures
    .find({ state: 'open', created_at: { $lt: new Date(Date.now() - OPEN_MS) } })
    .lean<CaptureDoc>()
    .cursor()
  for await (const doc of old) {
    if (signal.aborted) return
    await eraseCapture(store, doc, { state: 'open' })
  }
}

/** Outbox handler: erases the captures of deleted records. Captures that evidence cites stay, without their record id. */
export const uncitedErasure = (store: ErasureContext, peers: Peers): KindSpec<DeletedRecords> => ({
  payload: deletedRecords,
  async handle([deleted]) {
    if (!deleted) return
    const { captures } = store
    const docs = await captures
      .find({
        user_id: new Types.ObjectId(deleted.user_id),
        record_id: { $in: deleted.ids.map(each => new Types.ObjectId(each)) },
      })
      .limit(BATCH)
      .lean<CaptureDoc[]>()
    if (docs.length === 0) return
    const ids = docs.map(({ _id }) => _id.toHexString())
    const cited = new Set(await peers.call('iods', evidenceInternal.citedCaptures, { body: { ids } }))
    await captures.updateMany({ _id: { $in: [...cited] } }, { $unset: { record_id: 1 } })
    for (const doc of docs) if (!cited.has(doc._id.toHexString())) await eraseCapture(store, doc)
    return docs.length === BATCH ? 0 : undefined
  },
})

/** Erases a deleted user's captures. Shared sealed captures become unowned. */
export const forgetCaptures = async (store: ErasureContext, user_id: Types.ObjectId): Promise<void> => {
  const { captures } = store
  for (;;) {
    const docs = await captures
      .find({ user_id, state: { $ne: 'erased' }, $nor: [{ shared: true, state: 'sealed' }] })
      .limit(BATCH)
      .lean<CaptureDoc[]>()
    if (docs.length === 0) break
    for (const doc of docs) await eraseCapture(store, doc)
  }
  await captures.updateMany({ user_id }, { $unset: { user_id: 1, record_id: 1 } })
}
