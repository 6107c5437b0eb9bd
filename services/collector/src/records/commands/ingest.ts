import {
  type IngestResult,
  isImported,
  isRemovalNotice,
  mergeRecords,
  NEVER_COLLECTED,
  naturalKey,
  observed,
  RECORD_SCHEMAS,
  type RecordOf,
  type SeenRecord,
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
import { countWritten, isTimed } from '../../imports/commands/count-batch.js'
import type { RecordImportDoc } from '../../imports/models/record-import.js'
import type { QuotaCounter } from '../../models.js'
import type { CollectorStore } from '../../store.js'
import {
  bytesOf,
  DOCUMENT_BYTES,
  isTooLarge,
  type Layers,
  type RecordDoc,
  type RecordScope,
  versionOf,
} from '../models/record.js'
import { firstLayers, formOf, observationOf, withObservation } from '../policies/layers.js'
import { factsOf } from '../presenters/facts.js'
import { packRecord } from '../presenters/record.js'

const ATTEMPTS = 20
/** BSON may take five times the bytes of the JSON: only larger bodies can exceed the document limit. */
const SAFE_BODY_BYTES = DOCUMENT_BYTES / 5
/** Bytes of stored records that are read at once for merging. */
const MERGED_BYTES = 32 * 1024 * 1024
/** A merge of larger records takes milliseconds, so the event loop is yielded before it. */
const SLOW_BYTES = 100_000
/** Tolerated clock skew of collectors. */
const AHEAD_MS = 5 * 60_000

/** Whose records a batch contains, and the import that it belongs to. */
export interface Batch {
  scope: RecordScope
  run?: RecordImportDoc | undefined
}

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
const NOT_IMPORTED = ['collector_metadata.source: must begin with import:']

const readEntry = <S extends Source>(
  { scope: { source }, run }: Batch & { scope: { source: S } },
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
  if (run && !isImported(result.data)) return { error: NOT_IMPORTED }
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
  batch: Batch,
  records: unknown[],
  bodyBytes: number,
): Promise<IngestResult[]> => {
  const { scope } = batch
  const results: IngestResult[] = []
  const weigh = !(bodyBytes < SAFE_BODY_BYTES)
  const keys = records.map(record => keyOf(scope.source, record))
  // The query runs while the records are validated. One tick of the event loop sends it.
  let stored: Promise<StoredVersion[]> | undefined = findStored(models, scope, keys)
  stored.catch(() => {})
  await new Promise(setImmediate)
  const valid: Entry[] = []
  records.forEach((record, at) => {
    const entry = readEntry(batch, record, at, keys[at], weigh)
    if ('error' in entry) results[at] = entry
    else valid.push(entry)
  })
  for (const round of rounds(valid)) {
    stored ??= findStored(models, scope, keysOf(round))
    let found = await stored
    stored = undefined
    for (const part of parts(round, found))
      for (let attempt = 1; ; attempt++) {
        const written = await write(models, batch, part, await readStored(models, scope, part, found))
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
type StoredRecord = Omit<RecordDoc, 'user_id' | 'source'>

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

/** Returns the stored fields of a record. */
const storedForm = (held: SeenRecord, layers: Layers | undefined) => {
  const form = { ...formOf(held), ...(layers && { layers }) }
  return {
    fetched_at: new Date(held.record.collector_metadata.fetch_timestamp),
    ...form,
    bytes: bytesOf(form),
    sighted: false,
  }
}

interface Change {
  at: number
  delta: Delta
  operation: AnyBulkWriteOperation<RecordDoc>
}

/** Returns the outcome of an entry, and its change if there is one. @param doc the stored record */
const outcomeOf = (
  { scope, run }: Batch,
  { at, key, record }: Entry,
  doc: StoredRecord | undefined,
): { result: IngestResult; change?: Change } => {
  const incoming = run ? observed(record, isTimed(run, record)) : { record }
  if (!doc) {
    if (isRemovalNotice(record)) return { result: { error: [NEVER_COLLECTED] } }
    const _id = new Types.ObjectId()
    const form = storedForm(incoming, firstLayers(run?._id))
    const created = { _id, ...scope, key, created_at: new Date() }
    const facts = factsOf({ ...created, ...form })
    const document = {
      ...created,
      facts,
      changed_at: created.created_at,
      novelty: 'pending' as const,
      ...form,
    }
    const delta = { records: 1, record_bytes: form.bytes, [scope.source]: 1 }
    const change = { at, delta, operation: { insertOne: { document } } }
    return { result: { id: _id.toHexString(), status: 'created' }, change }
  }
  const { changed, ...merged } = mergeRecords(observationOf(doc), incoming)
  const layers = withObservation(doc, incoming, run?._id, changed)
  const result: IngestResult = { id: doc._id.toHexString(), status: changed ? 'updated' : 'unchanged' }
  const isSame = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b)
  if (!changed && isSame(doc.seen, merged.seen) && isSame(doc.layers, layers)) return { result }
  const { sighted, ...form } = storedForm(merged, layers)
  if (isTooLarge(form)) return { result: changed ? { error: TOO_LARGE } : result }
  const update = {
    $set: {
      ...form,
      facts: factsOf({ ...doc, ...scope, ...form }),
      changed_at: new Date(),
      ...(changed && { sighted }),
      revision: (doc.revision ?? 0) + 1,
    },
    $unset: { ...(!form.seen && { seen: 1 as const }), ...(!layers && { layers: 1 as const }) },
  }
  const delta = { record_bytes: form.bytes - doc.bytes }
  return { result, change: { at, delta, operation: { updateOne: { filter: versionOf(doc), update } } } }
}

/**
 * Makes one atomic attempt to write entries of distinct keys. Resolves to undefined on a conflict with another batch.
 */
const write = async (
  { records, imports, quotas, recordsChanged }: CollectorStore,
  batch: Batch,
  entries: Entry[],
  stored: StoredRecord[],
): Promise<Map<number, IngestResult> | undefined> => {
  const { scope, run } = batch
  const known = new Map(stored.map(doc => [doc.key, doc]))
  const results = new Map<number, IngestResult>()
  const changes: Change[] = []
  for (const entry of entries) {
    const doc = known.get(entry.key)
    if (doc && doc.bytes > SLOW_BYTES) await new Promise(setImmediate)
    const { result, change } = outcomeOf(batch, entry, doc)
    results.set(entry.at, result)
    if (change) changes.push(change)
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
    const written = fitting.map(({ at }) => results.get(at))
    try {
      await quotas.change(scope.user_id, delta, async session => {
        if (run) await countWritten(imports, run, written, session)
        // The driver writes: Mongoose would cast each operation.
        const done = await records.collection.bulkWrite(operations as never, { session })
        if (done.insertedCount + done.matchedCount !== operations.length) throw new WriteConflict()
        await recordsChanged(scope.user_id, session, run !== undefined)
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
