import { setTimeout as sleep } from 'node:timers/promises'
import { LIMITS, type SightingRecord, sightingsInternal } from '@iodine/contracts'
import {
  byId,
  HttpError,
  isPermanentError,
  PEER_BACKOFF_MAX_MS,
  type StoreService,
} from '@iodine/service-kit'
import { type AnyBulkWriteOperation, type ClientSession, Types } from 'mongoose'
import type { RunningImports } from '../../imports/commands/running-imports.js'
import type { CollectorModels } from '../../models.js'
import { type RecordDoc, type RemovalDoc, versionOf } from '../models/record.js'
import { presentSighting } from '../presenters/sighting.js'
import { createRecordComparison } from './compare-records.js'
import { createWatchedRecords, type WatchedRecords } from './publish-records.js'

/** Timeout for a batch of records of maximum size. */
const PUT_MS = 30_000
const BATCH_CHARS = 1_500_000
const RESIGHT_PAGE = 5_000
/** Delay before the delivery, so that one delivery covers several batches and does not slow their ingest. */
const DELAY_MS = 1_000
/** Maximum wait of a delivery for running ingests. */
const INGEST_WAIT_MS = 250
const POLL_MS = 10
/** Batches per run of the handler. The remaining ones are enqueued behind other users. */
const STEPS = 10

interface DeliveryContext extends Pick<StoreService, 'peers' | 'log'> {
  models: CollectorModels
  ingesting: { count: number }
  watched: WatchedRecords
}

/**
 * Enqueues the delivery of a user's records with `sighted: false`, and of removals, to the sightings service, and the
 * comparison of new records with IODs. Both wait for a running import, unless other records change.
 * @param isImported whether only an import changes the records
 */
export type RecordsChanged = (
  user_id: Types.ObjectId,
  session?: ClientSession,
  isImported?: boolean,
) => Promise<void>

export const createRecordsChanged = (
  service: StoreService,
  models: CollectorModels,
  { ingesting, running }: { ingesting: { count: number }; running: RunningImports },
): RecordsChanged => {
  const { outbox, peers, log } = service
  const watched = createWatchedRecords(service, models)
  const compared = createRecordComparison(service, models)
  const changed = outbox.kind('records.changed', {
    ...byId,
    concurrency: 2,
    backoffMaxMs: PEER_BACKOFF_MAX_MS,
    async handle([user], { signal }) {
      if (!user) return
      const ms = running.delayOf(user.id)
      if (ms > 0) return ms
      await compared.add(user)
      for (let step = 0; step < STEPS && !signal.aborted; step++)
        if (!(await sightRecords({ models, ingesting, watched, peers, log }, user.id))) return
      return 0
    },
  })
  return (user_id, session, isImported = false) => {
    const id = user_id.toHexString()
    if (!isImported) running.hurry(id)
    return changed.add({ id }, { dueIn: Math.max(running.delayOf(id), DELAY_MS), session })
  }
}

/** Waits until no ingest runs, at most `INGEST_WAIT_MS`. */
const waitForIngests = async (ingesting: { count: number }): Promise<void> => {
  for (let waited = 0; ingesting.count > 0 && waited < INGEST_WAIT_MS; waited += POLL_MS) await sleep(POLL_MS)
}

/** Returns the first records that fit into a request, at least one. */
const fitting = (docs: RecordDoc[]): { doc: RecordDoc; sighting: SightingRecord }[] => {
  let chars = 0
  const all = docs.map(doc => ({ doc, sighting: presentSighting(doc) }))
  return all.filter(({ sighting }, n) => {
    chars += sighting.text.length + sighting.links.reduce((sum, link) => sum + link.length, 1_000)
    return n === 0 || chars <= BATCH_CHARS
  })
}

/**
 * Delivers a batch of a user's new, changed and deleted records to the sightings service, and enqueues it for those who
 * watch what it contains. Then marks the records as sighted, unless they changed meanwhile. Idempotent. Rejects with the
 * error of the call.
 * @returns whether more records may be pending
 */
const sightRecords = async (
  { models, ingesting, watched, peers, log }: DeliveryContext,
  userId: string,
): Promise<boolean> => {
  await waitForIngests(ingesting)
  const { records, removals } = models
  const user_id = new Types.ObjectId(userId)
  const [docs, removed] = await Promise.all([
    records.find({ sighted: false, user_id }).limit(LIMITS.sightingsBatch).lean<RecordDoc[]>(),
    removals.find({ user_id }).limit(LIMITS.sightingsRemoved).lean<RemovalDoc[]>(),
  ])
  if (docs.length === 0 && removed.length === 0) return false
  const batch = fitting(docs)
  const removedIds = removed.map(({ _id }) => _id)
  const put = (sightings: SightingRecord[], gone: Types.ObjectId[]) =>
    peers.call('sightings', sightingsInternal.putSightings, {
      body: { user_id: userId, records: sightings, removed: gone.map(id => id.toHexString()) },
      ms: PUT_MS,
    })
  /**
   * Retracts records that were deleted during the call. Otherwise records of a deleted account would stay until its
   * second erasure.
   */
  const retractDeleted = async () => {
    const ids = batch.map(({ doc }) => doc._id)
    const left = await records.find({ _id: { $in: ids } }, { _id: 1 }).lean<Pick<RecordDoc, '_id'>[]>()
    const known = new Set(left.map(({ _id }) => _id.toHexString()))
    const gone = ids.filter(_id => !known.has(_id.toHexString()))
    if (gone.length > 0) await put([], gone)
  }
  try {
    await put(
      batch.map(({ sighting }) => sighting),
      removedIds,
    )
  } catch (error) {
    if (!isPermanentError(error)) throw error
    // One by one, so that one rejected record does not block the others.
    await put([], removedIds)
    for (const { sighting } of batch)
      await put([sighting], []).catch(refusal => {
        if (!(refusal instanceof HttpError) || !isPermanentError(refusal)) throw refusal
        log.warn({ err: refusal, record: sighting.id }, 'sightings rejected a record')
      })
  }
  if (batch.length > 0) {
    await watched.add({ ids: batch.map(({ sighting }) => sighting.id) })
    const { matchedCount } = await records.bulkWrite(
      batch.map(({ doc }) => ({
        updateOne: {
          filter: { ...versionOf(doc), shared: doc.shared ?? { $exists: false } },
          update: { $set: { sighted: true } },
        },
      })) as AnyBulkWriteOperation<RecordDoc>[],
      { ordered: false },
    )
    if (matchedCount < batch.length) await retractDeleted()
  }
  await removals.deleteMany({ _id: { $in: removedIds } })
  return true
}

/**
 * Enqueues one page of records after an id for another delivery, for example after the index was lost. Resolves to the
 * last record's id, or null at the end.
 */
export const redeliverRecords = async (
  { records, recordsChanged }: Pick<CollectorModels, 'records'> & { recordsChanged: RecordsChanged },
  after: string | null,
): Promise<string | null> => {
  const docs = await records
    .find(after === null ? {} : { _id: { $gt: new Types.ObjectId(after) } }, { user_id: 1 })
    .sort({ _id: 1 })
    .limit(RESIGHT_PAGE)
    .lean<Pick<RecordDoc, '_id' | 'user_id'>[]>()
  // The caller repeats a call that a crash leaves unanswered.
  await records.updateMany({ _id: { $in: docs.map(({ _id }) => _id) } }, { $set: { sighted: false } })
  const users = new Map(docs.map(({ user_id }) => [user_id.toHexString(), user_id]))
  for (const user_id of users.values()) await recordsChanged(user_id)
  return docs.length === RESIGHT_PAGE ? (docs.at(-1)?._id.toHexString() ?? null) : null
}
