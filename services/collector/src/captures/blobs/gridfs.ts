import { randomUUID } from 'node:crypto'
import type { Connection } from '@iodine/service-kit'
import { mongo as driver } from 'mongoose'
import type { Blobs } from './blobs.js'

const BUCKET = 'blobs'
const isMissing = (error: unknown) => (error as { code?: unknown }).code === 'ENOENT'
/** Selects the ids of a key's uploads, `KEY/UUID`. '0' is the character after '/'. */
const uploadsOf = (key: string) => ({ $gte: `${key}/`, $lt: `${key}0` })

/** Stores blobs in the service's database (GridFS), with their keys as file names. */
export const createGridBlobs = (mongo: Connection): Blobs => {
  const database = () => {
    if (!mongo.db) throw new Error('not connected')
    return mongo.db
  }
  const bucket = () =>
    new driver.GridFSBucket(database() as never, {
      bucketName: BUCKET,
      writeConcern: { w: 'majority', journal: true },
    })
  return {
    async put(key, bytes) {
      // GridFS writes the file's entry after its chunks, so an entry means a complete blob.
      if (await bucket().find({ filename: key }).hasNext()) return
      const upload = bucket().openUploadStreamWithId(`${key}/${randomUUID()}` as never, key)
      await new Promise<void>((resolve, reject) =>
        upload.once('finish', resolve).once('error', reject).end(Buffer.from(bytes)),
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
      for (const key of keys) {
        await database()
          .collection(`${BUCKET}.files`)
          .deleteMany({ _id: uploadsOf(key) as never })
        // Includes the chunks of uploads that a crash interrupted.
        await database()
          .collection(`${BUCKET}.chunks`)
          .deleteMany({ files_id: uploadsOf(key) })
      }
    },
  }
}
