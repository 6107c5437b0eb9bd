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
import {
  bytesOf,
  type Counted,
  type RecordDoc,
  type RecordModels,
  type RecordScope,
} from '../models/record.js'
import { packRecord } from '../presenters/record.js'

const ATTEMPTS = 20
/** Below MongoDB's 16 MiB a document, which JSON of a fifth can exceed once it is BSON. */
const DOCUMENT_BYTES = 15 * 1024 * 1024
const SAFE_BODY_BYTES = DOCUMENT_BYTES / 5

/** A valid record on its way in. */
interface Entry {
  /** Its place in the batch. */
  at: number
  key: string
  fetchedAt: Date
  data: Record<string, unknown>
  bytes: number
}

/** Hash of a record's natural key; undefined where there is none, of which its validation says more. */
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
  // What was sent, rather than what the schema makes of it: the same fields, in the sender's order.
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

/** Splits a batch so that no part holds a key twice and a record comes after its forerunners. */
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
 * Stores a batch: new records are inserted, newer versions replace under the same id, the rest is left alone. The
 * unique index on the natural key and a condition on the version replaced decide between concurrent batches; whoever
 * loses reads again. What the user's quotas have no room for is refused record by record. Resolves once all is
 * journaled, with one result a record, in order.
 * @param bodyBytes size of the request, NaN when unknown: small ones hold no record that is too large to keep
 */
export const ingest = async (
  models: RecordModels,
  scope: RecordScope,
  records: unknown[],
  bodyBytes: number,
): Promise<IngestResult[]> => {
  const results: IngestResult[] = []
  const weigh = !(bodyBytes < SAFE_BODY_BYTES)
  const keys = records.map(record => keyOf(scope.source, record))
  // The database looks for what it has while the records are checked here: the turn of the loop sends the question off.
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
        // Stored before sizes were counted: the first look at the usage weighs them.
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
  { records }: RecordModels,
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

/** Another batch changed what this one has read. */
class WriteConflict extends Error {}

type Delta = Amounts<Counted>

const plus = (a: Delta, b: Delta): Delta => {
  const sum = { ...a }
  for (const [name, n] of Object.entries(b) as [Counted, number][]) sum[name] = (sum[name] ?? 0) + n
  return sum
}

/** One attempt, whole or not at all, at entries of different keys; undefined when another batch got in the way. */
const write = async (
  { records, quotas }: RecordModels,
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
      const document = { _id, ...scope, key, fetched_at, created_at, data, bytes }
      const delta = { records: 1, record_bytes: bytes, [scope.source]: 1 }
      changes.push({ at, delta, operation: { insertOne: { document } } })
    } else if (status === 'updated') {
      const filter = { _id, fetched_at: doc?.fetched_at }
      const delta = { record_bytes: bytes - (doc?.bytes ?? 0) }
      changes.push({
        at,
        delta,
        operation: { updateOne: { filter, update: { $set: { fetched_at, data, bytes } } } },
      })
    }
  }
  /** Keeps of the changes, in their order, what there is room for. */
  const fit = ({ used }: QuotaExceeded<Counted>) => {
    let total = used
    return changes.filter(({ at, delta }) => {
      const refusal = quotas.refusal(total, delta)
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
