import { randomBytes } from 'node:crypto'
import { DETAILS, LIMITS, type Manifest } from '@iodine/contracts'
import { manifestHash } from '@iodine/evidence'
import { conflict, isDuplicateKey } from '@iodine/service-kit'
import { Types } from 'mongoose'
import type { CollectorModels } from '../../models.js'
import type { CaptureDoc } from '../models/capture.js'
import { bytesOf, checkManifest, expectedBlobs } from '../policies/manifest.js'

const missingOf = (manifest: Manifest, received: readonly string[]): string[] =>
  expectedBlobs(manifest).flatMap(({ sha256 }) => (received.includes(sha256) ? [] : [sha256]))

/**
 * Creates a capture, or returns the user's capture with the same manifest.
 * @throws HttpError 422 for an inconsistent manifest, 409 for too many open captures, 413 for too large blobs or a full
 * quota
 */
export const createCapture = async (
  { captures, quotas }: CollectorModels,
  userId: string,
  manifest: Manifest,
): Promise<{ id: string; missing: string[]; isNew: boolean }> => {
  checkManifest(manifest)
  const user_id = new Types.ObjectId(userId)
  const manifest_hash = await manifestHash(manifest)
  const known = async () => {
    const doc = await captures.findOne({ user_id, manifest_hash }).lean<CaptureDoc>()
    const missing = doc?.state === 'open' ? missingOf(manifest, doc.received) : []
    return doc && { id: doc._id.toHexString(), missing, isNew: false }
  }
  const before = await known()
  if (before) return before
  const _id = new Types.ObjectId()
  const now = new Date()
  const { source, url, captured_at } = manifest
  const doc: CaptureDoc = {
    _id,
    user_id,
    source,
    url,
    captured_at,
    created_at: now,
    received_at: now,
    manifest,
    manifest_hash,
    salt: randomBytes(16).toString('base64url'),
    state: 'open',
    shared: false,
    bytes: bytesOf(manifest),
    received: [],
  }
  try {
    // The write of the usage document serializes a user's captures, so the count of open ones is exact.
    await quotas.change(user_id, { capture_bytes: doc.bytes }, async session => {
      const open = await captures.countDocuments({ user_id, state: 'open' }).session(session)
      if (open >= LIMITS.openCapturesMax) throw conflict(DETAILS.openCaptures)
      // The driver inserts: the document is complete.
      await captures.collection.insertOne(doc as never, { session })
    })
  } catch (error) {
    const other = isDuplicateKey(error) ? await known() : null
    if (other) return other
    throw error
  }
  return { id: _id.toHexString(), missing: missingOf(manifest, []), isNew: true }
}
