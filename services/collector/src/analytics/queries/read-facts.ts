import { setImmediate } from 'node:timers/promises'
import type { Novelty, Source } from '@iodine/contracts'
import { createSharedReads } from '@iodine/service-kit'
import { LRUCache } from 'lru-cache'
import { type QueryFilter, Types } from 'mongoose'
import type { CollectorModels } from '../../models.js'
import type { RecordDoc, RecordFacts } from '../../records/models/record.js'

/** A record as analyses read it. */
export interface AnalyzedRecord {
  _id: Types.ObjectId
  source: Source
  created_at: Date
  facts?: RecordFacts
  novelty?: Novelty
}

const BATCH = 2_000
/** Cache size of a process, in records of all users: about 100 MB. */
const CACHE_RECORDS = 300_000
/** Maximum delay from the time of a change to its visibility: a transaction takes up to 60 s, and clocks differ. */
const LATE_MS = 90_000
/** Maximum age of cached records: a restored database or a wrong clock may falsify them. */
const MAX_AGE_MS = 24 * 3_600_000
/** Timeout of a read, after which the next one of a user may begin. */
const TIMEOUT_MS = 5_000

interface Cached {
  records: Map<string, AnalyzedRecord>
  /** All changes until this time are cached. */
  until: number
}

/**
 * Creates the reader of the counted values of a user's records. They are cached; changes are read by their times, and
 * all records after a deletion, when the number of records differs from that of the user's usage.
 * @returns a function of the user's id
 */
export const createFactsReader = ({ records, quotas }: Pick<CollectorModels, 'records' | 'quotas'>) => {
  const cache = new LRUCache<string, Cached>({
    maxSize: CACHE_RECORDS,
    sizeCalculation: cached => Math.min(CACHE_RECORDS, cached.records.size + 1),
    ttl: MAX_AGE_MS,
  })
  const shared = createSharedReads<string, Cached>(TIMEOUT_MS)

  const readInto = async (
    found: Map<string, AnalyzedRecord>,
    filter: QueryFilter<RecordDoc>,
  ): Promise<void> => {
    // The driver reads: Mongoose would cost as much again.
    const cursor = records.collection.find<AnalyzedRecord>(filter as object, {
      projection: { source: 1, created_at: 1, facts: 1, novelty: 1 },
      batchSize: BATCH,
    })
    let n = 0
    for await (const each of cursor) {
      found.set(each._id.toHexString(), each)
      if (++n % BATCH === 0) await setImmediate()
    }
  }

  const read = async (userId: string): Promise<Cached> => {
    const user_id = new Types.ObjectId(userId)
    const until = Date.now()
    const { records: expected = 0 } = await quotas.used(user_id)
    const known = cache.get(userId)
    const found = known ? new Map(known.records) : new Map<string, AnalyzedRecord>()
    if (known) await readInto(found, { user_id, changed_at: { $gt: new Date(known.until - LATE_MS) } })
    if (!known || found.size !== expected) {
      found.clear()
      await readInto(found, { user_id })
    }
    const cached = { records: found, until }
    cache.set(userId, cached)
    return cached
  }

  return async (userId: string): Promise<Iterable<AnalyzedRecord>> =>
    (await shared(userId, () => read(userId))).records.values()
}

/** Returns the records of some sources, or of all, that were stored from one time until before another. */
export const recordsIn = (
  all: Iterable<AnalyzedRecord>,
  sources: readonly Source[] | undefined,
  [from, until]: [number, number],
): AnalyzedRecord[] => {
  const found: AnalyzedRecord[] = []
  for (const each of all) {
    const time = each.created_at.getTime()
    if (time >= from && time < until && (!sources || sources.includes(each.source))) found.push(each)
  }
  return found
}
