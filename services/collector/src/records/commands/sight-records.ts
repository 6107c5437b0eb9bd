import { setTimeout as sleep } from 'node:timers/promises'
import { LIMITS, type SightingRecord, sightingsInternal } from '@iodine/contracts'
import { byId, HttpError, isFinalRefusal, type StoreService } from '@iodine/service-kit'
import { type AnyBulkWriteOperation, type ClientSession, Types } from 'mongoose'
import type { CollectorModels } from '../../models.js'
import { type RecordDoc, type RemovalDoc, versionOf } from '../models/record.js'
import { presentSighting } from '../presenters/sighting.js'

/** For a batch of records of maximum size. */
const PUT_MS = 30_000
const BATCH_CHARS = 1_500_000
const RESIGHTED = 5_000
/** Until the work begins: what is handed in meanwhile goes with it, and is handed in undisturbed. */
const DELAY_MS = 1_000
/** How long a batch waits for others to be handed in. */
const QUIET_MS = 250
const LOOK_MS = 10
/** Batches per run of the handler. The rest is enqueued again, behind other users. */
const STEPS = 10
const BACKOFF_MAX_MS = 3_000

interface Sighting extends Pick<StoreService, 'peers' | 'log'> {
  models: CollectorModels
  ingesting: { count: number }
}

/** Enqueues the delivery of a user's records with `sighted: false`, and of removals, to the sightings service. */
export type RecordsChanged = (user_id: Types.ObjectId, session?: ClientSession) => Promise<void>

export const createRecordsChanged = (
  { outbox, peers, log }: StoreService,
  models: CollectorModels,
  ingesting: { count: number },
): RecordsChanged => {
  const changed = outbox.kind('records.changed', {
    ...byId,
    concurrency: 2,
    backoffMaxMs: BACKOFF_MAX_MS,
    async handle([user], { signal }) {
      for (let step = 0; user && step < STEPS && !signal.aborted; step++)
        if (!(await sightRecords({ models, ingesting, peers, log }, user.id))) return
      return 0
    },
  })
  return (user_id, session) => changed.add({ id: user_id.toHexString() }, { dueIn: DELAY_MS, session })
}

/** Lets those who hand records in go first, for a while. */
const quiet = async (ingesting: { count: number }): Promise<void> => {
  for (let waited = 0; ingesting.count > 0 && waited < QUIET_MS; waited += LOOK_MS) await sleep(LOOK_MS)
}

/** The first of them that fit into a request. */
const fitting = (docs: RecordDoc[]): { doc: RecordDoc; told: SightingRecord }[] => {
  let chars = 0
  const all = docs.map(doc => ({ doc, told: presentSighting(doc) }))
  return all.filter(({ told }, n) => {
    chars += told.text.length + told.links.reduce((sum, link) => sum + link.length, 1_000)
    return n === 0 || chars <= BATCH_CHARS
  })
}

/**
 * Sends a batch of a user's new, changed and deleted records to the sightings service. Then marks them as sighted, unless
 * they have changed meanwhile. Idempotent. Throws the error of the call.
 * @returns whether there may be more
 */
const sightRecords = async (
  { models, ingesting, peers, log }: Sighting,
  userId: string,
): Promise<boolean> => {
  await quiet(ingesting)
  const { records, removals } = models
  const user_id = new Types.ObjectId(userId)
  const [docs, removed] = await Promise.all([
    records.find({ sighted: false, user_id }).limit(LIMITS.sightingsBatch).lean<RecordDoc[]>(),
    removals.find({ user_id }).limit(LIMITS.sightingsRemoved).lean<RemovalDoc[]>(),
  ])
  if (docs.length === 0 && removed.length === 0) return false
  const batch = fitting(docs)
  const removedIds = removed.map(({ _id }) => _id)
  const put = (told: SightingRecord[], gone: Types.ObjectId[]) =>
    peers.call('sightings', sightingsInternal.putSightings, {
      body: { user_id: userId, records: told, removed: gone.map(id => id.toHexString()) },
      ms: PUT_MS,
    })
  /** Removes records that were deleted during the call. Without it those of a deleted account stay until its second erasure. */
  const takeBack = async () => {
    const ids = batch.map(({ doc }) => doc._id)
    const left = await records.find({ _id: { $in: ids } }, { _id: 1 }).lean<Pick<RecordDoc, '_id'>[]>()
    const known = new Set(left.map(({ _id }) => _id.toHexString()))
    const gone = ids.filter(_id => !known.has(_id.toHexString()))
    if (gone.length > 0) await put([], gone)
  }
  try {
    await put(
      batch.map(({ told }) => told),
      removedIds,
    )
  } catch (error) {
    if (!isFinalRefusal(error)) throw error
    // One by one, so that a refused record does not keep the others.
    await put([], removedIds)
    for (const { told } of batch)
      await put([told], []).catch(refusal => {
        if (!(refusal instanceof HttpError) || !isFinalRefusal(refusal)) throw refusal
        log.warn({ err: refusal, record: told.id }, 'record not taken by sightings')
      })
  }
  if (batch.length > 0) {
    const { matchedCount } = await records.bulkWrite(
      batch.map(({ doc }) => ({
        updateOne: {
          filter: { ...versionOf(doc), shared: doc.shared ?? { $exists: false } },
          update: { $set: { sighted: true } },
        },
      })) as AnyBulkWriteOperation<RecordDoc>[],
      { ordered: false },
    )
    if (matchedCount < batch.length) await takeBack()
  }
  await removals.deleteMany({ _id: { $in: removedIds } })
  return true
}

/**
 * Marks some records after an id to be told again, as after the index was lost. Resolves to the last one's id, or null at
 * the end.
 */
export const resightRecords = async (
  { records, recordsChanged }: Pick<CollectorModels, 'records'> & { recordsChanged: RecordsChanged },
  after: string | null,
): Promise<string | null> => {
  const docs = await records
    .find(after === null ? {} : { _id: { $gt: new Types.ObjectId(after) } }, { user_id: 1 })
    .sort({ _id: 1 })
    .limit(RESIGHTED)
    .lean<Pick<RecordDoc, '_id' | 'user_id'>[]>()
  // A crash in between leaves the call unanswered: it is repeated.
  await records.updateMany({ _id: { $in: docs.map(({ _id }) => _id) } }, { $set: { sighted: false } })
  const users = new Map(docs.map(({ user_id }) => [user_id.toHexString(), user_id]))
  for (const user_id of users.values()) await recordsChanged(user_id)
  return docs.length === RESIGHTED ? (docs.at(-1)?._id.toHexString() ?? null) : null
}
