import { evidenceInternal } from '@iodine/contracts'
import { buildWacz } from '@iodine/evidence/wacz'
import type { Peers } from '@iodine/service-kit'
import type { CollectorStore } from '../../store.js'
import { blobKey } from '../blobs/index.js'
import { expectedBlobs } from '../policies/manifest.js'
import type { ReadableCapture } from '../policies/read-capture.js'
import { anchoredSince, keysOf, sealedOf } from './read-log.js'

/** Returns a sealed capture with its evidence as WACZ. @throws HttpError 409 unless sealed */
export const archiveOf = async (
  { log, blobs }: CollectorStore,
  peers: Peers,
  capture: ReadableCapture,
): Promise<Uint8Array> => {
  const capture_id = capture._id.toHexString()
  const [{ seal, proof, checkpoint }, keys, evidence] = await Promise.all([
    sealedOf(log, capture),
    keysOf(log),
    peers.call('iods', evidenceInternal.getCaptureEvidence, { body: { capture_id } }),
  ])
  const anchored = await anchoredSince(log, checkpoint.size)
  const stored = new Map<string, Uint8Array>()
  for (const { sha256 } of expectedBlobs(capture.manifest)) {
    const bytes = await blobs.get(blobKey(capture_id, sha256))
    if (bytes) stored.set(sha256, bytes)
  }
  return buildWacz({
    manifest: capture.manifest,
    seal,
    proof,
    checkpoint,
    ...(anchored && { anchored }),
    keys,
    blobs: stored,
    evidence,
  })
}
