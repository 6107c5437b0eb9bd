import type { Connection } from '@iodine/service-kit'
import type { Blobs } from './blobs.js'
import { createFileBlobs } from './file.js'
import { createGridBlobs } from './gridfs.js'
import { createS3Blobs } from './s3.js'

export const blobKey = (captureId: string, sha256: string): string => `${captureId}/${sha256}`

export type { Blobs }

/** Creates the store that `BLOBS_URL` names: `file:`, `s3:`, or `gridfs:` in the service's database. */
export const createBlobs = (url: string, mongo: Connection): Blobs => {
  const { protocol } = new URL(url)
  if (protocol === 'file:') return createFileBlobs(url)
  return protocol === 's3:' ? createS3Blobs(url) : createGridBlobs(mongo)
}
