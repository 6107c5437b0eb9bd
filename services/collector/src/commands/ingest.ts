import { createHash } from 'node:crypto'
import {
  DETAILS,
  type IngestResult,
  naturalKey,
  RECORD_SCHEMAS,
  type RecordOf,
  type Source,
} from '@iodine/contracts'
import { faults, unavailable } from '@iodine/service-kit'
import { type AnyBulkWriteOperation, mongo, Types } from 'mongoose'
import type { RecordDoc, RecordModel } from '../models/record.js'
import { packRecord } from '../presenters/record.js'

const ATTEMPTS = 10
/** Below MongoDB's 16 MiB a document, which JSON of less can exceed once it is BSON. */
const DOCUMENT_BYTES = 15 * 1024 * 1024

/** A valid record on its way in. */
interface Entry {
  /** Its place in the batch. */
  at: number
  key: string
  fetchedAt: Date
  data: Record<string, unknown>
}

const readEntry = <S extends Source>(source: S, record: unknown, at: number): Entry | { error: string[] } => {
  const result = RECORD_SCHEMAS[source].safeParse(record)
  if (!result.success) return { error: faults(result.error, 'record') }
  const key = (naturalKey[source] as (record: RecordOf[S]) => string)(result.data as RecordOf[S])
  // What was sent, rather than what the schema makes of it: the same fields, in the sender's order.
  const data = packRecord(record as RecordOf[S])
  if (mongo.BSON.calculateObjectSize(data) > DOCUMENT_BYTES) return { error: ['record: is too large'] }
  return {
    at,
    key: createHash('sha256').update(key).digest('base64url'),
    fetchedAt: new Date(result.data.collector_metadata.fetch_timestamp),
    data,
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
 * unique index on the natural key and the condition on `fetched_at` decide between concurrent batches; whoever loses
 * reads again. Resolves once all is journaled, with one result a record, in order.
 */
export const ingest = async (
  model: RecordModel,
  userId: string,
  source: Source,
  records: unknown[],
): Promise<IngestResult[]> => {
  const results: IngestResult[] = []
  const valid: Entry[] = []
  records.forEach((record, at) => {
    const entry = readEntry(source, record, at)
    if ('error' in entry) results[at] = entry
    else valid.push(entry)
  })
  const owner = { user_id: new Types.ObjectId(userId), source }
  for (const round of rounds(valid)) {
    let open = round
    for (let attempt = 0; open.length > 0; attempt++) {
      if (attempt === ATTEMPTS) throw unavailable(DETAILS.unavailable)
      open = await write(model, owner, open, results)
    }
  }
  return results
}

/** One attempt at entries of different keys; returns those that another batch got in the way of. */
const write = async (
  model: RecordModel,
  owner: Pick<RecordDoc, 'user_id' | 'source'>,
  entries: Entry[],
  results: IngestResult[],
): Promise<Entry[]> => {
  const found = await model
    .find({ ...owner, key: { $in: entries.map(entry => entry.key) } }, { key: 1, fetched_at: 1 })
    .lean<Pick<RecordDoc, '_id' | 'key' | 'fetched_at'>[]>()
  const known = new Map(found.map(doc => [doc.key, doc]))
  const ingest_id = new Types.ObjectId()
  const created_at = new Date()
  const operations: AnyBulkWriteOperation<RecordDoc>[] = []
  const written: { entry: Entry; id: Types.ObjectId; status: 'created' | 'updated' }[] = []
  for (const entry of entries) {
    const { key, fetchedAt: fetched_at, data } = entry
    const doc = known.get(key)
    if (!doc) {
      const _id = new Types.ObjectId()
      operations.push({
        insertOne: { document: { _id, ...owner, key, fetched_at, created_at, ingest_id, data } },
      })
      written.push({ entry, id: _id, status: 'created' })
    } else if (doc.fetched_at < fetched_at) {
      operations.push({
        updateOne: {
          filter: { _id: doc._id, fetched_at: { $lt: fetched_at } },
          update: { $set: { fetched_at, ingest_id, data } },
        },
      })
      written.push({ entry, id: doc._id, status: 'updated' })
    } else results[entry.at] = { id: doc._id.toHexString(), status: 'unchanged' }
  }
  if (operations.length === 0) return []
  const intact = await model.collection
    .bulkWrite(operations as never, { ordered: false })
    .then(result => result.insertedCount + result.matchedCount === operations.length)
    .catch(error => {
      // Some lost to another batch; anything else went wrong for good.
      const failures: { code?: unknown }[] = [(error as { writeErrors?: unknown }).writeErrors ?? []].flat()
      if (failures.length === 0 || failures.some(failure => failure.code !== 11_000)) throw error
      return false
    })
  if (intact) {
    for (const { entry, id, status } of written) results[entry.at] = { id: id.toHexString(), status }
    return []
  }
  const stored = await model
    .find({ _id: { $in: written.map(({ id }) => id) } }, { ingest_id: 1 })
    .lean<Pick<RecordDoc, '_id' | 'ingest_id'>[]>()
  const writers = new Map(stored.map(doc => [doc._id.toHexString(), doc.ingest_id]))
  return written.flatMap(({ entry, id, status }) => {
    const writer = writers.get(id.toHexString())
    // An id that only we know was ours to insert, whoever wrote the version that stands there now.
    if (!writer || (status === 'updated' && !writer.equals(ingest_id))) return [entry]
    results[entry.at] = { id: id.toHexString(), status }
    return []
  })
}
