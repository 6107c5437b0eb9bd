import { setImmediate } from 'node:timers/promises'
import type { Novelty, Source } from '@iodine/contracts'
import { createSharedReads } from '@iodine/service-kit'
import { LRUCache } from 'lru-cache'
import { mongo, type QueryFilter, Types } from 'mongoose'
import type { CollectorModels } from '../../models.js'
import type { RecordDoc, RecordFacts } from '../../records/models/record.js'

/** A record as analyses read it, with times in milliseconds. */
export interface AnalyzedRecord extends Partial<Omit<RecordFacts, 'posted_at'>> {
  source: Source
  created_at: number
  posted_at?: number | undefined
  novelty?: Novelty | undefined
}
type StoredRecord = Pick<RecordDoc, '_id' | 'source' | 'created_at' | 'facts' | 'novelty'>

/** Creates a function that returns the same string for equal ones: most values are those of many records. */
const createInterning = () => {
  const all = new Map<string, string>()
  return <T extends string | undefined>(text: T): T => {
    if (text === undefined) return text
    const found = all.get(text)
    if (found === undefined) all.set(text, text)
    return (found as T) ?? text
  }
}

const BATCH = 2_000
/** Cache size of a process, in records of all users: about 150 MB. */
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
    const intern = createInterning()
    // Raw documents of the driver: the service decodes a batch while the database reads the next one.
    const cursor = records.collection.find(filter as object, {
      projection: { source: 1, created_at: 1, facts: 1, novelty: 1 },
      batchSize: BATCH,
      raw: true,
    })
    for (let more = cursor.hasNext(); await more; ) {
      const batch = cursor.readBufferedDocuments() as unknown as Uint8Array[]
      more = cursor.hasNext()
      // Awaited after the batch.
      more.catch(() => {})
      await setImmediate()
      for (const bytes of batch) {
        const { _id, source, created_at, facts, novelty } = mongo.BSON.deserialize(bytes) as StoredRecord
        found.set(_id.toHexString(), {
          source: intern(source),
          created_at: created_at.getTime(),
          novelty: intern(novelty ?? undefined),
          account: intern(facts?.account),
          hashtags: facts?.hashtags?.map(intern),
          domains: facts?.domains?.map(intern),
          language: intern(facts?.language),
          posted_at: facts?.posted_at?.getTime(),
          platform: intern(facts?.platform),
          reach: facts?.reach,
        })
      }
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
    const { created_at } = each
    if (created_at >= from && created_at < until && (!sources || sources.includes(each.source)))
      found.push(each)
  }
  return found
}
