import {
  type IngestResult,
  isRemovalNotice,
  mergeRecords,
  NEVER_COLLECTED,
  naturalKey,
  RECORD_SCHEMAS,
  type RecordOf,
  type SeenValues,
  type Source,
} from '@iodine/contracts'
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
import { type AnyBulkWriteOperation, Types } from 'mongoose'
import type { QuotaCounter } from '../../models.js'
import type { CollectorStore } from '../../store.js'
import {
  bytesOf,
  DOCUMENT_BYTES,
  isTooLarge,
  type RecordDoc,
  type RecordScope,
  versionOf,
} from '../models/record.js'
import { packRecord, unpackRecord } from '../presenters/record.js'

const ATTEMPTS = 20
/** BSON may take five times the bytes of the JSON: only larger bodies can exceed the document limit. */
const SAFE_BODY_BYTES = DOCUMENT_BYTES / 5
/** Bytes of stored records that are read at once for merging. */
const MERGED_BYTES = 32 * 1024 * 1024
/** A merge of larger records takes milliseconds, so the event loop is yielded before it. */
const SLOW_BYTES = 100_000
/** Tolerated clock skew of collectors. */
const AHEAD_MS = 5 * 60_000

/** A valid record of the batch. */
interface Entry {
  /** Index in the batch. */
  at: number
  key: string
  record: RecordOf[Source]
}

/** Returns the hash of a record's natural key, or undefined without one; validation then reports the error. */
const keyOf = <S extends Source>(source: S, record: unknown): string | undefined => {
  try {
    const key = (naturalKey[source] as (record: RecordOf[S]) => unknown)(record as RecordOf[S])
    return typeof key === 'string' ? hashOf(key) : undefined
  } catch {
    return undefined
  }
}

/** Returns a record whose times in the future are replaced with the current time. */
const withoutFuture = (record: RecordOf[Source]): RecordOf[Source] => {
  const now = Date.now()
  const past = (time: string) => (Date.parse(time) > now + AHEAD_MS ? new Date(now).toISOString() : time)
  const { collector_metadata, context } = record
  const removed = context?.removed
  return {
    ...record,
    collector_metadata: {
      ...collector_metadata,
      fetch_timestamp: past(collector_metadata.fetch_timestamp),
    },
    ...(removed && {
      context: {
        ...context,
        removed: { first_seen: past(removed.first_seen), last_seen: past(removed.last_seen) },
      },
    }),
  }
}

const TOO_LARGE = ['record: is too large']

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
  if (weigh && isTooLarge(packRecord(record as RecordOf[S]))) return { error: TOO_LARGE }
  // Keeps the input, not the parsed value, to preserve the sender's field order.
  return { at, key, record: withoutFuture(record as RecordOf[S]) }
}

/** Splits entries into parts whose stored records fit into memory. */
const parts = (entries: Entry[], found: StoredVersion[]): Entry[][] => {
  const bytes = new Map(found.map(doc => [doc.key, doc.bytes]))
  let read = Number.POSITIVE_INFINITY
  const all: Entry[][] = []
  for (const entry of entries) {
    read += bytes.get(entry.key) ?? 0
    if (read > MERGED_BYTES) {
      all.push([])
      read = bytes.get(entry.key) ?? 0
    }
    all.at(-1)?.push(entry)
  }
  return all
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
 * Stores a batch, and resolves to one result per record, in order, once all writes are journaled.
 * - Inserts new records, and merges others into the stored ones under the same id by `MERGE_RULES`.
 * - Rejects a removal notice without a stored record, and each record that exceeds the user's quotas.
 * - Replaces times that are more than 5 minutes ahead with the current time.
 * - Retries on a conflict with a concurrent batch, which the unique index on the natural key or the filter by version
 *   detects.
 * @param bodyBytes size of the request, NaN if unknown; a small request contains no record above the size limit
 */
export const ingest = async (
  models: CollectorStore,
  scope: RecordScope,
  records: unknown[],
  bodyBytes: number,
): Promise<IngestResult[]> => {
  const results: IngestResult[] = []
  const weigh = !(bodyBytes < SAFE_BODY_BYTES)
  const keys = records.map(record => keyOf(scope.source, record))
  // The query runs while the records are validated. One tick of the event loop sends it.
  let stored: Promise<StoredVersion[]> | undefined = findStored(models, scope, keys)
  stored.catch(() => {})
  await new Promise(setImmediate)
  const valid: Entry[] = []
  records.forEach((record, at) => {
    const entry = readEntry(scope.source, record, at, keys[at], weigh)
    if ('error' in entry) results[at] = entry
    else valid.push(entry)
  })
  for (const round of rounds(valid)) {
    stored ??= findStored(models, scope, keysOf(round))
    let found = await stored
    stored = undefined
    for (const part of parts(round, found))
      for (let attempt = 1; ; attempt++) {
        const written = await write(models, scope, part, await readStored(models, scope, part, found))
        if (written) {
          for (const [at, result] of written) results[at] = result
          break
        }
        if (attempt === ATTEMPTS) throw unavailable()
        found = await findStored(models, scope, keysOf(part))
      }
  }
  return results
}

type StoredVersion = Pick<RecordDoc, 'key' | 'bytes'>
type StoredRecord = Omit<RecordDoc, 'user_id' | 'source' | 'created_at'>

const keysOf = (entries: Entry[]): string[] => entries.map(({ key }) => key)

const findStored = (
  { records }: CollectorStore,
  scope: RecordScope,
  keys: (string | undefined)[],
): Promise<StoredVersion[]> =>
  records
    .find({ ...scope, key: { $in: keys.filter(key => key !== undefined) } }, { key: 1, bytes: 1 })
    .lean<StoredVersion[]>()
    .exec()

/** Reads the stored records of the entries that `findStored` found. */
const readStored = async (
  { records }: CollectorStore,
  scope: RecordScope,
  entries: Entry[],
  found: StoredVersion[],
): Promise<StoredRecord[]> => {
  const known = new Set(found.map(({ key }) => key))
  const keys = keysOf(entries).filter(key => known.has(key))
  return keys.length === 0 ? [] : records.find({ ...scope, key: { $in: keys } }).lean<StoredRecord[]>()
}

/** Thrown if a concurrent batch changed records that this batch read. */
class WriteConflict extends Error {}

type Delta = Amounts<QuotaCounter>

const plus = (a: Delta, b: Delta): Delta => {
  const sum = { ...a }
  for (const [name, n] of Object.entries(b) as [QuotaCounter, number][]) sum[name] = (sum[name] ?? 0) + n
  return sum
}

/** Returns the stored fields of a record. @param seen result of the merge */
const storedForm = (record: RecordOf[Source], seen?: SeenValues) => {
  const data = packRecord(record)
  return {
    fetched_at: new Date(record.collector_metadata.fetch_timestamp),
    data,
    bytes: bytesOf(data, seen),
    sighted: false,
    ...(seen && { seen }),
  }
}

/**
 * Makes one atomic attempt to write entries of distinct keys. Resolves to undefined on a conflict with another batch.
 */
const write = async (
  { records, quotas, recordsChanged }: CollectorStore,
  scope: RecordScope,
  entries: Entry[],
  stored: StoredRecord[],
): Promise<Map<number, IngestResult> | undefined> => {
  const known = new Map(stored.map(doc => [doc.key, doc]))
  const results = new Map<number, IngestResult>()
  const changes: { at: number; delta: Delta; operation: AnyBulkWriteOperation<RecordDoc> }[] = []
  const created_at = new Date()
  for (const { at, key, record } of entries) {
    const doc = known.get(key)
    if (!doc) {
      if (isRemovalNotice(record)) {
        results.set(at, { error: [NEVER_COLLECTED] })
        continue
      }
      const document = { _id: new Types.ObjectId(), ...scope, key, created_at, ...storedForm(record) }
      results.set(at, { id: document._id.toHexString(), status: 'created' })
      const delta = { records: 1, record_bytes: document.bytes, [scope.source]: 1 }
      changes.push({ at, delta, operation: { insertOne: { document } } })
      continue
    }
    if (doc.bytes > SLOW_BYTES) await new Promise(setImmediate)
    const {
      record: merged,
      seen,
      changed,
    } = mergeRecords({ record: unpackRecord(doc), seen: doc.seen }, { record })
    results.set(at, { id: doc._id.toHexString(), status: changed ? 'updated' : 'unchanged' })
    if (!changed && JSON.stringify(doc.seen) === JSON.stringify(seen)) continue
    const { sighted, ...form } = storedForm(merged, seen)
    if (isTooLarge(form)) {
      if (changed) results.set(at, { error: TOO_LARGE })
      continue
    }
    const update = {
      $set: { ...form, ...(changed && { sighted }), revision: (doc.revision ?? 0) + 1 },
      ...(!seen && { $unset: { seen: 1 as const } }),
    }
    const delta = { record_bytes: form.bytes - doc.bytes }
    changes.push({ at, delta, operation: { updateOne: { filter: versionOf(doc), update } } })
  }
  /** Returns the changes, in order, that fit into the quotas, and stores an error for each of the others. */
  const fit = ({ used, own }: QuotaExceeded<QuotaCounter>) => {
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
        // The driver writes: Mongoose would cast each operation.
        const done = await records.collection.bulkWrite(operations as never, { session })
        if (done.insertedCount + done.matchedCount !== operations.length) throw new WriteConflict()
        await recordsChanged(scope.user_id, session)
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
