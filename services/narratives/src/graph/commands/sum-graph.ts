import {
  byId,
  createSharedReads,
  inTransaction,
  isDuplicateKey,
  type Kind,
  type KindSpec,
} from '@iodine/service-kit'
import { type AnyBulkWriteOperation, type ClientSession, Types } from 'mongoose'
import { batchesOf } from '../../batches-of.js'
import type { NarrativeModels } from '../../models.js'
import type { EdgeDoc } from '../models/edge.js'
import { type SumDoc, type SummedDoc, sumId } from '../models/sum.js'
import { changed, createTally, TooLarge, totalOf } from './tally-edges.js'

/** Minimum number of edges of a graph with sums. Reading fewer edges is as fast. */
export const SUMS_FROM = 5_000
/** Edges per transaction of a fold. Short transactions seldom conflict with narratives. */
const FOLD = 250
/** Maximum number of fold transactions per read. With more pending edges, the read sums the edges. */
const FOLDS_MAX = 20
/** Attempts of a fold transaction on write conflicts. Then the fold ends, and the next one continues. */
const ATTEMPTS_MAX = 3
/** Time after which a read starts another fold beside a running one. */
const TIMEOUT_MS = 30_000
/** Documents per transaction of a build. */
const BATCH = 1_000
const READ_BATCH = 5_000
/** Edges per pass of a build. Each pass tallies one part of the items, which bounds the memory. */
const PASS = 250_000
/** Delay of the next fold after write conflicts. */
const FOLD_RETRY_MS = 1_000
/** The database ends the transaction of a killed process after 60 s. */
const BACKOFF_MAX_MS = 60_000

class FoldConflict extends Error {}

/** Disables a user's sums, and stops a running build. */
export const dropSums = async (
  { summed }: Pick<NarrativeModels, 'summed'>,
  user_id: Types.ObjectId,
  session?: ClientSession,
): Promise<void> => {
  await summed.updateOne(
    { _id: user_id },
    // `folded_at` guarantees a write, so that the transaction conflicts with a concurrent build.
    { $set: { graph: null, folded_at: new Date() }, $unset: { building: 1, refused: 1 } },
    session && { session },
  )
}

/**
 * Removes sums that exceed the size limit, and marks the user as refused. Edges with a zero count are then removed
 * without a fold. After a crash, the next build refuses again.
 */
const refuseSums = async (
  { summed, sums, edges }: NarrativeModels,
  user_id: Types.ObjectId,
): Promise<void> => {
  const building = new Types.ObjectId()
  await summed.updateOne({ _id: user_id }, { $set: { graph: null, building } })
  await sums.deleteMany({ user_id })
  await edges.updateMany({ user_id }, [{ $set: { due: '$count' } }], { updatePipeline: true })
  await edges.deleteMany({ user_id, count: { $lte: 0 } })
  await summed.updateOne({ _id: user_id, building }, { $set: { refused: true }, $unset: { building: 1 } })
}

/** Whether a user's sums are in use. */
const isSummed = async ({ summed }: Pick<NarrativeModels, 'summed'>, _id: Types.ObjectId): Promise<boolean> =>
  (await summed.exists({ _id, graph: { $ne: null } })) !== null

const folding = createSharedReads<string, boolean>(TIMEOUT_MS)

/**
 * Folds the pending changes of edges into a user's sums. Concurrent calls share a fold. A fold ends on repeated write
 * conflicts, so that writes of narratives meet few conflicts.
 * @returns whether the sums are in use and include all changes committed before the call
 */
export const foldGraph = (models: NarrativeModels, user_id: Types.ObjectId): Promise<boolean> =>
  folding(user_id.toHexString(), () => foldDue(models, user_id))

const foldDue = async (models: NarrativeModels, user_id: Types.ObjectId): Promise<boolean> => {
  const { mongo, summed, sums, edges } = models
  const isDue = { user_id, due: { $exists: true } }
  let attempts = 0
  const fold = async (session: ClientSession): Promise<boolean> => {
    if (++attempts > ATTEMPTS_MAX) throw new FoldConflict()
    const state = await summed
      .findOneAndUpdate(
        { _id: user_id, graph: { $ne: null } },
        { $set: { folded_at: new Date() } },
        { session },
      )
      .lean<SummedDoc & { graph: Types.ObjectId }>()
    if (!state) return false
    const due = await edges.find(isDue, null, { session }).limit(FOLD).lean()
    const tally = createTally()
    for (const edge of due) if (edge.due) tally.add({ ...edge, times: edge.due })
    const ids = [...tally.items.keys()].map(key => sumId(state.graph, key))
    // The driver reads: lean reads return BSON binaries in place of buffers.
    const found = await sums.collection
      .find({ _id: { $in: ids } } as object, { session, promoteBuffers: true })
      .toArray()
    const before = new Map((found as unknown as SumDoc[]).map(doc => [doc._id, doc]))
    const totals = { entities: 0, verbs: 0, links: 0, sources: 0 }
    const numbers = new Map<string, number>()
    const numberOf = (src: string): number => {
      const known = numbers.get(src) ?? before.get(sumId(state.graph, `source:${src}`))?.number
      const number = known ?? state.sources + totals.sources++
      numbers.set(src, number)
      return number
    }
    const writes: AnyBulkWriteOperation<SumDoc>[] = []
    for (const [key, item] of tally.items) {
      const _id = sumId(state.graph, key)
      const old = before.get(_id)
      const doc = changed(old, item, state, numberOf)
      const total = totalOf(item)
      if (total && !old !== !doc) totals[total] += doc ? 1 : -1
      if (doc) writes.push({ replaceOne: { filter: { _id }, replacement: doc, upsert: true } })
      else if (old) writes.push({ deleteOne: { filter: { _id } } })
    }
    // The driver writes: Mongoose would cast each operation.
    if (writes.length > 0) await sums.collection.bulkWrite(writes as never[], { session })
    const folded = due.map(({ _id }) => _id)
    await edges.updateMany({ _id: { $in: folded } }, { $unset: { due: 1 } }, { session })
    await edges.deleteMany({ _id: { $in: folded }, count: { $lte: 0 } }, { session })
    await summed.updateOne({ _id: user_id }, { $inc: totals }, { session })
    return true
  }
  for (let run = 0; run < FOLDS_MAX; run++) {
    if (!(await isSummed(models, user_id))) return false
    if (!(await edges.exists(isDue))) return true
    attempts = 0
    try {
      if (!(await inTransaction(mongo, fold, { retriesDuplicates: true }))) return false
    } catch (error) {
      if (error instanceof FoldConflict) return false
      if (!(error instanceof TooLarge)) throw error
      await refuseSums(models, user_id)
      return false
    }
  }
  return !(await edges.exists(isDue))
}

/** Outbox entries to build or fold a user's sums; keyed by user. */
export interface SumsOutbox {
  pendingSums: Kind<{ id: string }>
}

type SumsContext = Pick<NarrativeModels, 'summed'> & SumsOutbox

/** Enqueues a build or a fold of a user's sums, unless the sums are refused or an entry is pending. */
export const enqueueSums = async (
  { summed, pendingSums }: SumsContext,
  _id: Types.ObjectId,
): Promise<void> => {
  const id = _id.toHexString()
  if ((await summed.exists({ _id, refused: true })) || (await pendingSums.has(id))) return
  await pendingSums.add({ id })
}

/** Enqueues a fold after a deletion, if the user has sums or a build under way. */
export const foldDeletion = async (
  { summed, pendingSums }: SumsContext,
  _id: Types.ObjectId,
): Promise<void> => {
  if (await summed.exists({ _id, refused: { $ne: true } })) await pendingSums.add({ id: _id.toHexString() })
}

/** Outbox handler: builds a user's sums, or folds pending changes into existing ones. */
export const summingWork = (models: NarrativeModels): KindSpec<{ id: string }> => ({
  ...byId,
  isHeavy: true,
  backoffMaxMs: BACKOFF_MAX_MS,
  async handle([wanted], { signal }) {
    const user_id = new Types.ObjectId(wanted?.id)
    if (!(await isSummed(models, user_id))) return buildSums(models, user_id, signal)
    return (await foldGraph(models, user_id)) ? undefined : FOLD_RETRY_MS
  },
})

/**
 * Claims a user's sums for a build, and stops an earlier build. Resolves to false if the sums are in use or refused.
 */
const claim = (
  { summed }: NarrativeModels,
  _id: Types.ObjectId,
  building: Types.ObjectId,
): Promise<boolean> =>
  summed
    .updateOne({ _id, graph: null, refused: { $ne: true } }, { $set: { building } }, { upsert: true })
    .then(() => true)
    .catch(error => {
      if (isDuplicateKey(error)) return false
      throw error
    })

/**
 * Builds a user's sums while the edges are in use. It first clears `due`; later changes modify `count` and `due`
 * equally. So `count - due` is the count at the start of the build, and no snapshot is needed. Later changes are folded
 * in. The build ends without sums once `building` contains another id.
 */
const buildSums = async (
  models: NarrativeModels,
  user_id: Types.ObjectId,
  signal: AbortSignal,
): Promise<void> => {
  const { mongo, summed, sums, edges } = models
  const graph = new Types.ObjectId()
  if (!(await claim(models, user_id, graph))) return
  const claimed = { _id: user_id, building: graph }
  const numbers = new Map<string, number>()
  const numberOf = (src: string): number => {
    const number = numbers.get(src) ?? numbers.size
    numbers.set(src, number)
    return number
  }
  const totals = { entities: 0, verbs: 0, links: 0 }
  /** Resolves to false if another call claimed the sums. */
  const insert = (docs: SumDoc[]): Promise<boolean> => {
    signal.throwIfAborted()
    return inTransaction(mongo, async session => {
      const $set = { folded_at: new Date() }
      if ((await summed.updateOne(claimed, { $set }, { session })).matchedCount === 0) return false
      // The driver inserts: the documents are complete, and Mongoose would cast each.
      await sums.collection.insertMany(docs as never[], { session })
      return true
    })
  }
  try {
    await sums.deleteMany({ user_id })
    await edges.deleteMany({ user_id, count: { $lte: 0 } })
    await edges.updateMany({ user_id, due: { $exists: true } }, { $unset: { due: 1 } })
    const parts = Math.ceil((await edges.countDocuments({ user_id })) / PASS)
    for (let part = 0; part < parts; part++) {
      const { items, add } = createTally(part, parts)
      const projection = { _id: 0, src: 1, subject: 1, verb: 1, object: 1, count: 1, due: 1 }
      // The driver's cursor returns whole batches.
      const cursor = edges.collection.find<EdgeDoc>({ user_id }, { projection, batchSize: READ_BATCH })
      for await (const batch of batchesOf(cursor)) {
        for (const { count, due = 0, ...edge } of batch)
          if (count !== due) add({ ...edge, times: count - due })
        signal.throwIfAborted()
      }
      let docs: SumDoc[] = []
      for (const item of items.values()) {
        const doc = changed(undefined, item, { _id: user_id, graph }, numberOf)
        const total = totalOf(item)
        if (!doc) continue
        if (total) totals[total]++
        if (docs.push(doc) < BATCH) continue
        if (!(await insert(docs))) return
        docs = []
      }
      if (docs.length > 0 && !(await insert(docs))) return
    }
    const $set = { ...totals, sources: numbers.size, graph, folded_at: new Date() }
    if (parts > 0) await summed.updateOne(claimed, { $set, $unset: { building: 1 } })
    else await summed.deleteOne(claimed)
  } catch (error) {
    if (error instanceof TooLarge) {
      if (await summed.exists(claimed)) await refuseSums(models, user_id)
      return
    }
    await summed.updateOne(claimed, { $unset: { building: 1 } }).catch(() => {})
    throw error
  }
}
