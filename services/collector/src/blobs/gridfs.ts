import type { Connection } from '@iodine/service-kit'
import { mongo as driver } from 'mongoose'
import type { Blobs } from './index.js'

const isMissing = (error: unknown) => (error as { code?: unknown }).code === 'ENOENT'

/** Blobs in the service's database (GridFS), under their keys as file names. */
export const createGridBlobs = (mongo: Connection): Blobs => {
  const bucket = () => {
    if (!mongo.db) throw new Error('not connected')
    return new driver.GridFSBucket(mongo.db as never, {
      bucketName: 'blobs',
      writeConcern: { w: 'majority', journal: true },
    })
  }
  const idsOf = async (key: string) =>
    (await bucket().find({ filename: key }).toArray()).map(({ _id }) => _id)
  return {
    async put(key, bytes) {
      // The file's entry is written after its chunks: with it the blob is complete.
      if ((await idsOf(key)).length > 0) return
      await new Promise<void>((resolve, reject) =>
        bucket().openUploadStream(key).once('finish', resolve).once('error', reject).end(Buffer.from(bytes)),
      )
    },
    async get(key) {
      try {
        return Buffer.concat(await bucket().openDownloadStreamByName(key).toArray())
      } catch (error) {
        if (isMissing(error)) return null
        throw error
      }
    },
    async delete(keys) {
      for (const key of keys) for (const id of await idsOf(key)) await bucket().delete(id)
    },
  }
}
