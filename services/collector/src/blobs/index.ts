import type { Connection } from '@iodine/service-kit'
import { createFileBlobs } from './file.js'
import { createGridBlobs } from './gridfs.js'
import { createS3Blobs } from './s3.js'

/** Bytes by key. A key is a capture's id and the SHA-256 of the bytes: no capture shares its blobs. */
export interface Blobs {
  /** Stores bytes durably before it resolves; repeating it changes nothing. */
  put(key: string, bytes: Uint8Array): Promise<void>
  /** Null where there are none. */
  get(key: string): Promise<Uint8Array | null>
  /** Deletes what is there of these. */
  delete(keys: readonly string[]): Promise<void>
}

export const blobKey = (captureId: string, sha256: string): string => `${captureId}/${sha256}`

/** The storage that `BLOBS_URL` names: `file:`, `s3:`, or `gridfs:` in the service's database. */
export const createBlobs = (url: string, mongo: Connection): Blobs => {
  const { protocol } = new URL(url)
  if (protocol === 'file:') return createFileBlobs(url)
  return protocol === 's3:' ? createS3Blobs(url) : createGridBlobs(mongo)
}
