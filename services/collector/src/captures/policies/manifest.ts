import { type BlobRole, DETAILS, LIMITS, type Manifest } from '@iodine/contracts'
import { HttpError, invalid } from '@iodine/service-kit'

/** Roles of which a capture has one blob at most. */
const SINGLE: readonly BlobRole[] = ['dom', 'text', 'record', 'screenshot']

/** The blobs whose bytes are handed over, each once. */
export const handedOver = ({ blobs }: Manifest) => [
  ...new Map(blobs.filter(({ absent }) => !absent).map(blob => [blob.sha256, blob])).values(),
]

/** Bytes that a capture's blobs take. */
export const bytesOf = (manifest: Manifest): number =>
  handedOver(manifest).reduce((sum, { bytes }) => sum + bytes, 0)

/** Throws 422 for a manifest that contradicts itself, 413 for blobs above the limits. */
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
  const given = handedOver(manifest)
  if (given.length === 0) throw invalid(['blobs: one must be handed over'])
  if (given.some(({ bytes }) => bytes > LIMITS.blobBytes) || bytesOf(manifest) > LIMITS.captureBytes)
    throw new HttpError(413, DETAILS.captureTooLarge)
}
