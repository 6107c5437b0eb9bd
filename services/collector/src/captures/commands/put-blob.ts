import { DETAILS } from '@iodine/contracts'
import { sha256Hex } from '@iodine/evidence'
import { conflict, HttpError, invalid, notFound } from '@iodine/service-kit'
import type { CollectorStore } from '../../store.js'
import { blobKey } from '../blobs/index.js'
import { expectedBlobs } from '../policies/manifest.js'
import { ownCapture } from '../policies/read-capture.js'

/**
 * Stores a blob of an open capture. Idempotent.
 * @throws HttpError 404 for a blob that the manifest does not name, 409 for a sealed capture, 413 for more bytes than
 * the manifest names, 422 for other bytes
 */
export const putBlob = async (
  store: CollectorStore,
  userId: string,
  { id, sha256 }: { id: string; sha256: string },
  bytes: Uint8Array,
): Promise<void> => {
  const capture = await ownCapture(store, userId, id)
  const expected = expectedBlobs(capture.manifest).find(blob => blob.sha256 === sha256)
  if (!expected) throw notFound()
  if (capture.state !== 'open') throw conflict(DETAILS.captureSealed)
  if (bytes.length > expected.bytes) throw new HttpError(413, DETAILS.bodyTooLarge)
  if (bytes.length !== expected.bytes || (await sha256Hex(bytes)) !== sha256)
    throw invalid([DETAILS.blobDiffers])
  const { blobs, captures } = store
  await blobs.put(blobKey(id, sha256), bytes)
  const { matchedCount } = await captures.updateOne(
    { _id: capture._id, state: 'open' },
    { $addToSet: { received: sha256 } },
  )
  if (matchedCount > 0) return
  // The capture was sealed meanwhile, with the same bytes, or erased: then no document names the blob.
  const now = await captures.findById(capture._id, { state: 1 }).lean<{ state: string }>()
  if (now?.state === 'sealed') return
  await blobs.delete([blobKey(id, sha256)])
  throw notFound()
}
