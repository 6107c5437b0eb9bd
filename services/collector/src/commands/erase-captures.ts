import { evidenceInternal } from '@iodine/contracts'
import type { Peers } from '@iodine/service-kit'
import type { QueryFilter, Types } from 'mongoose'
import { type Blobs, blobKey } from '../blobs/index.js'
import type { CaptureDoc } from '../models/capture.js'
import type { CollectorModels } from '../models/index.js'
import { handedOver } from '../policies/manifest.js'

/** How long blobs of a capture may be missing. */
const OPEN_MS = 24 * 3_600_000
const AT_ONCE = 100

/**
 * Erases a capture: manifest, hash and salt at once, then its blobs, which `finishErasures` repeats after a crash.
 * Its place in the log stays. Resolves to false if somebody else has.
 * @param reason why the team erases it
 */
export const eraseCapture = async (
  { captures, quotas }: CollectorModels,
  blobs: Blobs,
  { _id, user_id }: Pick<CaptureDoc, '_id' | 'user_id'>,
  reason?: string,
): Promise<boolean> => {
  const erased = await quotas.settle(async (session, take) => {
    const doc = await captures
      .findOne({ _id, state: { $ne: 'erased' } })
      .session(session)
      .lean<CaptureDoc>()
    if (!doc) return false
    const erasing = doc.manifest ? handedOver(doc.manifest).map(({ sha256 }) => sha256) : []
    await captures.updateOne(
      { _id },
      {
        $set: {
          state: 'erased',
          shared: false,
          url: '',
          bytes: 0,
          received: [],
          erasing,
          ...(reason !== undefined && { reason }),
        },
        $unset: { manifest: 1, manifest_hash: 1, salt: 1, record_id: 1, record_deleted: 1, user_id: 1 },
      },
      { session },
    )
    if (user_id) await take(user_id, { capture_bytes: -doc.bytes })
    return true
  })
  if (erased) await finishErasures({ captures }, blobs, { _id })
  return erased
}

/** Deletes the blobs of erased captures. Resolves to their number. */
export const finishErasures = async (
  { captures }: Pick<CollectorModels, 'captures'>,
  blobs: Blobs,
  filter: QueryFilter<CaptureDoc> = {},
): Promise<number> => {
  const docs = await captures
    .find({ ...filter, erasing: { $exists: true } })
    .limit(AT_ONCE)
    .lean<CaptureDoc[]>()
  for (const { _id, seq, erasing = [] } of docs) {
    await blobs.delete(erasing.map(sha256 => blobKey(_id.toHexString(), sha256)))
    // One that never was sealed leaves nothing.
    if (seq === undefined) await captures.deleteOne({ _id })
    else await captures.updateOne({ _id }, { $unset: { erasing: 1 } })
  }
  return docs.length
}

/** Erases captures that were never completed, and those of deleted records that no evidence names. */
export const eraseDue = async (models: CollectorModels, blobs: Blobs, peers: Peers): Promise<number> => {
  const { captures } = models
  let erased = await finishErasures(models, blobs)
  const eraseAll = async (docs: CaptureDoc[]) => {
    for (const doc of docs) if (await eraseCapture(models, blobs, doc)) erased += 1
  }
  await eraseAll(
    await captures
      .find({ state: 'open', created_at: { $lt: new Date(Date.now() - OPEN_MS) } })
      .limit(AT_ONCE)
      .lean<CaptureDoc[]>(),
  )
  const left = await captures.find({ record_deleted: true }).limit(AT_ONCE).lean<CaptureDoc[]>()
  if (left.length === 0) return erased
  const ids = left.map(({ _id }) => _id.toHexString())
  const cited = new Set(await peers.call('iods', evidenceInternal.citedCaptures, { body: { ids } }))
  const kept = left.filter(({ _id }) => cited.has(_id.toHexString()))
  await captures.updateMany(
    { _id: { $in: kept.map(({ _id }) => _id) } },
    { $unset: { record_deleted: 1, record_id: 1 } },
  )
  await eraseAll(left.filter(doc => !kept.includes(doc)))
  return erased
}

/** Erases a deleted user's captures; those that are shared become nobody's. */
export const forgetCaptures = async (
  models: CollectorModels,
  blobs: Blobs,
  user_id: Types.ObjectId,
): Promise<void> => {
  const { captures } = models
  for (;;) {
    const docs = await captures
      .find({ user_id, state: { $ne: 'erased' }, $nor: [{ shared: true, state: 'sealed' }] })
      .limit(AT_ONCE)
      .lean<CaptureDoc[]>()
    if (docs.length === 0) break
    for (const doc of docs) await eraseCapture(models, blobs, doc)
  }
  await captures.updateMany({ user_id }, { $unset: { user_id: 1, record_id: 1 } })
}
