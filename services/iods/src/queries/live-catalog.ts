import { createVersion, type StoreService } from '@iodine/service-kit'
import type { Types } from 'mongoose'
import { BY_DATE, type IodDoc, type IodModels } from '../models/iod.js'
import { Catalog, type CatalogEntry, searchText } from './catalog.js'

/** Maximum delay between an IOD's `created_at` and its visibility in the database. */
const SETTLE_MS = 30_000
const CHECK_MS = 30_000
const BATCH = 2_000

type Listed = Pick<
  IodDoc,
  '_id' | 'value' | 'description' | 'category' | 'source_type' | 'created_by' | 'created_at'
>
const FIELDS = { value: 1, description: 1, category: 1, source_type: 1, created_by: 1, created_at: 1 }

const entryOf = (doc: Listed): CatalogEntry => ({
  id: doc._id.toHexString(),
  time: doc.created_at.getTime(),
  category: doc.category,
  source_type: doc.source_type,
  creator: doc.created_by?.toHexString() ?? '',
  text: searchText(doc.value, doc.description),
})

export interface LiveCatalog {
  /** The catalog with every IOD whose creation any process acknowledged before the call. */
  current(): Promise<Catalog>
  /** Adds a stored IOD and notifies all processes. Without Redis they find it at their next check. */
  announce(doc: Listed): Promise<void>
  /** Makes all processes read new IODs. Rejects while Redis is down. */
  raise(): Promise<unknown>
  /** Removes a deleted user's id from the catalogs of all processes. Rejects while Redis is down. */
  forget(userId: Types.ObjectId): Promise<void>
}

/**
 * Keeps this process's catalog in step with the database. Each creation changes a version in Redis. While the
 * version is unchanged, nothing is read. If it is unknown or has changed, IODs created since the last read
 * are read.
 */
export const createLiveCatalog = (
  { iods, forgotten }: IodModels,
  { redis, config }: Pick<StoreService, 'redis' | 'config'>,
): LiveCatalog => {
  const version = createVersion(redis, `${config.REDIS_PREFIX}:iods:version`)
  const catalog = new Catalog()
  /** The catalog contains all IODs created before this time. */
  let until = 0
  let seen: string | undefined
  let checkedAt = 0
  let running: Promise<void> = Promise.resolve()
  let queued: Promise<void> | undefined

  const catchUp = async () => {
    const startedAt = Date.now()
    const before = await version.read()
    const docs = iods
      .find({ created_at: { $gte: new Date(until) } }, FIELDS)
      .sort({ created_at: 1, _id: 1 })
      .hint(BY_DATE)
      .lean<Listed[]>()
      .cursor({ batchSize: BATCH })
    for await (const doc of docs as AsyncIterable<Listed>) catalog.add(entryOf(doc))
    // After the IODs, as an entry may have been read before its creator was removed.
    for (const { _id } of await forgotten.find({ at: { $gte: new Date(until) } }).lean())
      catalog.forget(_id.toHexString())
    until = startedAt - SETTLE_MS
    seen = before
    checkedAt = startedAt
  }
  /** Starts a read after the call. Concurrent callers share the queued read. */
  const look = (): Promise<void> => {
    queued ??= running
      .catch(() => {})
      .then(() => {
        queued = undefined
        running = catchUp()
        return running
      })
    return queued
  }

  return {
    async current() {
      const now = await version.read()
      if (now === undefined || now !== seen || Date.now() - checkedAt > CHECK_MS) await look()
      return catalog
    },
    async forget(userId) {
      await forgotten.updateOne({ _id: userId }, { $set: { at: new Date() } }, { upsert: true })
      catalog.forget(userId.toHexString())
      await version.raise()
    },
    raise: version.raise,
    async announce(doc) {
      const { before, now } = await version.raise().catch(error => {
        seen = undefined
        throw error
      })
      if (seen === undefined || before !== seen) return
      catalog.add(entryOf(doc))
      seen = now
    },
  }
}
