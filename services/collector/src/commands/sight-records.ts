import { setTimeout as sleep } from 'node:timers/promises'
import { LIMITS, type SightingRecord, sightingsInternal } from '@iodine/contracts'
import { HttpError, isFinalRefusal, type Peers, type StoreService } from '@iodine/service-kit'
import { type AnyBulkWriteOperation, Types } from 'mongoose'
import type { CollectorModels } from '../models/index.js'
import { type RecordDoc, type RemovalDoc, versionOf } from '../models/record.js'
import { presentSighting } from '../presenters/sighting.js'

/** For a batch of records of maximum size. */
const PUT_MS = 30_000
const BATCH_CHARS = 1_500_000
/** Records that one repair looks at for their users. */
const LOOKED_AT = 2_000
const RESIGHTED = 5_000
/** Until a user's job begins: what is handed in meanwhile goes with it, and is handed in undisturbed. */
const DELAY_MS = 1_000
/** How long a batch waits for others to be handed in. */
const QUIET_MS = 250
const LOOK_MS = 10

/**
 * Has the workers tell the sightings service of a user's records. One job a user: one that waits or runs does for all. Redis
 * may be down: the repair adds the job again.
 */
export const queueSightings = async (
  { queues, log }: Pick<StoreService, 'queues' | 'log'>,
  user_id: Types.ObjectId,
): Promise<void> => {
  const id = user_id.toHexString()
  await queues
    .add(
      'sightings',
      { user_id: id },
      { jobId: `user-${id}`, delay: DELAY_MS, removeOnComplete: true, removeOnFail: true },
    )
    .catch(error => log.warn({ err: error, user: id }, 'records not queued for sightings yet'))
}

interface Sighting {
  models: CollectorModels
  /** Batches that are being handed in to this process. */
  ingesting: { count: number }
  peers: Peers
  log: StoreService['log']
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
 * Tells the sightings service of some of a user's new, changed and deleted records, then takes their marks away, unless
 * they have changed again. May be repeated. Throws the error of the call.
 * @returns whether there may be more
 */
export const sightRecords = async (
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
  /** Deleted while they were told, as with their account, of which sightings may have heard before. */
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
 * Queues users again of whose records the sightings service does not know. Resolves to their number.
 * @param place where the last call ended: one user's many records do not hide those of others
 */
export const repeatSightings = async (
  service: Pick<StoreService, 'queues' | 'log'>,
  { records, removals }: CollectorModels,
  place: { after?: Types.ObjectId | undefined },
): Promise<number> => {
  const owed = await records
    .find({ sighted: false, ...(place.after && { user_id: { $gt: place.after } }) }, { user_id: 1 })
    .sort({ user_id: 1 })
    .limit(LOOKED_AT)
    .lean<RecordDoc[]>()
  const removed = await removals.find({}, { user_id: 1 }).limit(LOOKED_AT).lean<RemovalDoc[]>()
  const users = new Map([...owed, ...removed].map(({ user_id }) => [user_id.toHexString(), user_id]))
  for (const user_id of users.values()) await queueSightings(service, user_id)
  place.after = owed.length === LOOKED_AT ? owed.at(-1)?.user_id : undefined
  return users.size
}

/**
 * Marks some records after an id to be told again, as after the index was lost. Resolves to the last one's id, or null at
 * the end.
 */
export const resightRecords = async (
  { records }: CollectorModels,
  after: string | null,
): Promise<string | null> => {
  const ids = await records
    .find(after === null ? {} : { _id: { $gt: new Types.ObjectId(after) } }, { _id: 1 })
    .sort({ _id: 1 })
    .limit(RESIGHTED)
    .lean<Pick<RecordDoc, '_id'>[]>()
  await records.updateMany({ _id: { $in: ids.map(({ _id }) => _id) } }, { $set: { sighted: false } })
  return ids.length === RESIGHTED ? (ids.at(-1)?._id.toHexString() ?? null) : null
}
