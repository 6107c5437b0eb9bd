import { type IngestResult, naturalKey, RECORD_SCHEMAS, type RecordOf, type Source } from '@iodine/contracts'
import {
  type Amounts,
  checkPlainData,
  faults,
  HttpError,
  hashOf,
  isDuplicateKey,
  QuotaExceeded,
  unavailable,
} from '@iodine/service-kit'
import { type AnyBulkWriteOperation, mongo, Types } from 'mongoose'
import type { CollectorModels, Counted } from '../models/index.js'
import { bytesOf, type RecordDoc, type RecordScope } from '../models/record.js'
import { packRecord } from '../presenters/record.js'

const ATTEMPTS = 20
/** Below MongoDB's limit of 16 MiB per document. JSON a fifth of the limit can exceed it as BSON. */
const DOCUMENT_BYTES = 15 * 1024 * 1024
const SAFE_BODY_BYTES = DOCUMENT_BYTES / 5

/** A valid record of the batch. */
interface Entry {
  /** Index in the batch. */
  at: number
  key: string
  fetchedAt: Date
  data: Record<string, unknown>
  bytes: number
}

/** Hash of a record's natural key; undefined without one, in which case validation reports the error. */
const keyOf = <S extends Source>(source: S, record: unknown): string | undefined => {
  try {
    const key = (naturalKey[source] as (record: RecordOf[S]) => unknown)(record as RecordOf[S])
    return typeof key === 'string' ? hashOf(key) : undefined
  } catch {
    return undefined
  }
}

const readEntry = <S extends Source>(
  source: S,
  record: unknown,
  at: number,
  key: string | undefined,
  weigh: boolean,
): Entry | { error: string[] } => {
  try {
    checkPlainData(record, 'record')
  } catch (error) {
    if (error instanceof HttpError) return { error: [error.detail].flat() }
    throw error
  }
  const result = RECORD_SCHEMAS[source].safeParse(record)
  if (!result.success) return { error: faults(result.error, 'record') }
  if (key === undefined) throw new Error('a valid record has a natural key')
  // The input instead of the parsed value: same fields, in the sender's order.
  const data = packRecord(record as RecordOf[S])
  if (weigh && mongo.BSON.calculateObjectSize(data) > DOCUMENT_BYTES)
    return { error: ['record: is too large'] }
  return {
    at,
    key,
    fetchedAt: new Date(result.data.collector_metadata.fetch_timestamp),
    data,
    bytes: bytesOf(data),
  }
}

/** Splits a batch into rounds without repeated keys. Records of the same key keep their order. */
const rounds = (entries: Entry[]): Entry[][] => {
  const seen = new Map<string, number>()
  const parts: Entry[][] = []
  for (const entry of entries) {
    const round = seen.get(entry.key) ?? 0
    seen.set(entry.key, round + 1)
    parts[round] ??= []
    parts[round].push(entry)
  }
  return parts
}

/**
 * Stores a batch: new records are inserted, newer versions replace older ones under the same id, others are
 * left unchanged. The unique index on the natural key and a condition on the replaced version resolve
 * conflicts of concurrent batches; the losing batch reads again. Records that exceed the user's quotas are
 * refused one by one. Resolves once all writes are journaled, with one result per record, in order.
 * @param bodyBytes size of the request, NaN when unknown: a small request contains no record above the size
 * limit
 */
export const ingest = async (
  models: CollectorModels,
  scope: RecordScope,
  records: unknown[],
  bodyBytes: number,
): Promise<IngestResult[]> => {
  const results: IngestResult[] = []
  const weigh = !(bodyBytes < SAFE_BODY_BYTES)
  const keys = records.map(record => keyOf(scope.source, record))
  // The query runs while the records are validated. One turn of the event loop sends it.
  let stored: Promise<StoredVersion[]> | undefined = findStored(models, scope, keys)
  stored.catch(() => {})
  await new Promise(setImmediate)
  const valid: Entry[] = []
  records.forEach((record, at) => {
    const entry = readEntry(scope.source, record, at, keys[at], weigh)
    if ('error' in entry) results[at] = entry
    else valid.push(entry)
  })
  for (const round of rounds(valid))
    for (let attempt = 1; ; attempt++) {
      stored ??= findStored(
        models,
        scope,
        round.map(entry => entry.key),
      )
      const found = await stored
      stored = undefined
      if (attempt === 1 && found.some(({ bytes }) => bytes === undefined)) {
        // Old records without a size: computing the usage adds it.
        await models.quotas.used(scope.user_id)
        continue
      }
      const written = await write(models, scope, round, found)
      if (written) {
        for (const [at, result] of written) results[at] = result
        break
      }
      if (attempt === ATTEMPTS) throw unavailable()
    }
  return results
}

type StoredVersion = Pick<RecordDoc, '_id' | 'key' | 'fetched_at' | 'bytes'>

const findStored = (
  { records }: CollectorModels,
  scope: RecordScope,
  keys: (string | undefined)[],
): Promise<StoredVersion[]> =>
  records
    .find(
      { ...scope, key: { $in: keys.filter(key => key !== undefined) } },
      { key: 1, fetched_at: 1, bytes: 1 },
    )
    .lean<StoredVersion[]>()
    .exec()

/** A concurrent batch changed records that this one has read. */
class WriteConflict extends Error {}

type Delta = Amounts<Counted>

const plus = (a: Delta, b: Delta): Delta => {
  const sum = { ...a }
  for (const [name, n] of Object.entries(b) as [Counted, number][]) sum[name] = (sum[name] ?? 0) + n
  return sum
}

/** One atomic attempt to write entries of distinct keys; undefined on a conflict with another batch. */
const write = async (
  { records, quotas }: CollectorModels,
  scope: RecordScope,
  entries: Entry[],
  stored: StoredVersion[],
): Promise<Map<number, IngestResult> | undefined> => {
  const known = new Map(stored.map(doc => [doc.key, doc]))
  const results = new Map<number, IngestResult>()
  const changes: { at: number; delta: Delta; operation: AnyBulkWriteOperation<RecordDoc> }[] = []
  const created_at = new Date()
  for (const { at, key, fetchedAt: fetched_at, data, bytes } of entries) {
    const doc = known.get(key)
    const _id = doc?._id ?? new Types.ObjectId()
    const status = !doc ? 'created' : doc.fetched_at < fetched_at ? 'updated' : 'unchanged'
    results.set(at, { id: _id.toHexString(), status })
    if (status === 'created') {
      const document = { _id, ...scope, key, fetched_at, created_at, data, bytes, sighted: false }
      const delta = { records: 1, record_bytes: bytes, [scope.source]: 1 }
      changes.push({ at, delta, operation: { insertOne: { document } } })
    } else if (status === 'updated') {
      const filter = { _id, fetched_at: doc?.fetched_at }
      const delta = { record_bytes: bytes - (doc?.bytes ?? 0) }
      changes.push({
        at,
        delta,
        operation: { updateOne: { filter, update: { $set: { fetched_at, data, bytes, sighted: false } } } },
      })
    }
  }
  /** Keeps the changes, in order, that fit into the quotas. */
  const fit = ({ used, own }: QuotaExceeded<Counted>) => {
    let total = used
    return changes.filter(({ at, delta }) => {
      const refusal = quotas.refusal(total, delta, own)
      if (refusal) results.set(at, { error: [refusal.detail].flat() })
      else total = plus(total, delta)
      return !refusal
    })
  }
  let fitting = changes
  for (let attempt = 1; fitting.length > 0; attempt++) {
    const operations = fitting.map(({ operation }) => operation)
    const delta = fitting.reduce<Delta>((sum, change) => plus(sum, change.delta), {})
    try {
      await quotas.change(scope.user_id, delta, async session => {
        const done = await records.collection.bulkWrite(operations as never, { session })
        if (done.insertedCount + done.matchedCount !== operations.length) throw new WriteConflict()
      })
      return results
    } catch (error) {
      if (error instanceof WriteConflict || isDuplicateKey(error)) return undefined
      if (!(error instanceof QuotaExceeded) || attempt === ATTEMPTS) throw error
      fitting = fit(error)
    }
  }
  return results
}
