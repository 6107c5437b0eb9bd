import { type BlobRole, DETAILS, LIMITS, type Manifest } from '@iodine/contracts'
import { HttpError, invalid } from '@iodine/service-kit'

/** Roles with at most one blob per capture. */
const SINGLE: readonly BlobRole[] = ['dom', 'text', 'record', 'screenshot']

/** Returns the blobs whose bytes the client uploads, without duplicates. */
export const expectedBlobs = ({ blobs }: Manifest) => [
  ...new Map(blobs.filter(({ absent }) => !absent).map(blob => [blob.sha256, blob])).values(),
]

/** Returns the total bytes of the expected blobs. */
export const bytesOf = (manifest: Manifest): number =>
  expectedBlobs(manifest).reduce((sum, { bytes }) => sum + bytes, 0)

/** @throws HttpError 422 for an inconsistent manifest, 413 for blobs above the limits */
export const checkManifest = (manifest: Manifest): void => {
  const { blobs } = manifest
  for (const role of SINGLE)
    if (blobs.filter(blob => blob.role === role).length > 1) throw invalid([`blobs: only one may be ${role}`])
  if (blobs.some(({ role, absent }) => absent && role !== 'media'))
    throw invalid(['blobs: only media may be absent'])
  const sizes = new Map<string, number>()
  for (const { sha256, bytes } of blobs) {
    if ((sizes.get(sha256) ?? bytes) !== bytes) throw invalid(['blobs: one hash has two sizes'])
    sizes.set(sha256, bytes)
  }
  const expected = expectedBlobs(manifest)
  if (expected.length === 0) throw invalid(['blobs: at least one must be sent'])
  if (expected.some(({ bytes }) => bytes > LIMITS.blobBytes) || bytesOf(manifest) > LIMITS.captureBytes)
    throw new HttpError(413, DETAILS.captureTooLarge)
}
