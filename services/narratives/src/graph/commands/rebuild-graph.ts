import { inTransaction, invalid } from '@iodine/service-kit'
import { type ClientSession, type Model, Types } from 'mongoose'
import type { NarrativeModels } from '../../models.js'
import { graphKeysOf } from '../../narratives/models/narrative.js'
import { DAY_MS, dayOf, type EdgeDoc, edgesOf, withGrams } from '../models/edge.js'
import { sourcesOf } from '../models/source.js'
import type { CountedRow } from './count-in-graph.js'
import { dropSums, enqueueSums, SUMS_FROM, type SumsOutbox } from './sum-graph.js'

const BATCH = 1_000

/** Returns the days on which a user has narratives or aggregates. */
const daysOf = async (
  { narratives, edges, sources }: NarrativeModels,
  user_id: Types.ObjectId,
): Promise<Date[]> => {
  const days = new Set<number>()
  for (const day of await edges.distinct('day', { user_id })) days.add((day as Date).getTime())
  for (const day of await sources.distinct('day', { user_id })) days.add((day as Date).getTime())
  const times = narratives.find({ user_id }, { created_at: 1 }).lean()
  for await (const { created_at } of times.cursor()) days.add(dayOf(created_at).getTime())
  return [...days].sort((a, b) => a - b).map(time => new Date(time))
}

/** Creates a tally that sums the counts of rows with the same id. */
const createTally = <T extends CountedRow>() => {
  const rows = new Map<string, T>()
  return {
    add(added: readonly T[]): void {
      for (const row of added) {
        const known = rows.get(row._id)
        if (known) known.count += row.count
        else rows.set(row._id, row)
      }
    },
    async insert(
      model: Model<T>,
      session: ClientSession,
      present: (row: T) => T = row => row,
    ): Promise<void> {
      const all = Array.from(rows.values(), present)
      for (let start = 0; start < all.length; start += BATCH)
        await model.insertMany(all.slice(start, start + BATCH), { session, lean: true })
    },
  }
}

/**
 * Rebuilds a user's aggregates of one day from the narratives. Sets a new `graph` id in each counted narrative, so that
 * a concurrent deletion causes a write conflict.
 */
const rebuildDay = async (models: NarrativeModels, user_id: Types.ObjectId, day: Date): Promise<void> => {
  const { mongo, narratives, edges, sources } = models
  const ofDay = { user_id, created_at: { $gte: day, $lt: new Date(day.getTime() + DAY_MS) } }
  const rebuild = async (session: ClientSession) => {
    await dropSums(models, user_id, session)
    const freshEdges = createTally<EdgeDoc>()
    const freshSources = createTally<ReturnType<typeof sourcesOf>[number]>()
    const marks: Parameters<typeof narratives.bulkWrite>[0][number][] = []
    const done = narratives.find({ ...ofDay, state: 'done' }, { text: 0 }, { session }).lean()
    for await (const narrative of done.cursor()) {
      freshEdges.add(edgesOf(narrative).map(withGrams))
      freshSources.add(sourcesOf(narrative))
      const change = { graph: new Types.ObjectId(), ...graphKeysOf(narrative.triplets) }
      marks.push({ updateOne: { filter: { _id: narrative._id }, update: { $set: change } } })
    }
    for (let start = 0; start < marks.length; start += BATCH)
      await narratives.bulkWrite(marks.slice(start, start + BATCH), { session })
    await narratives.updateMany({ ...ofDay, state: { $ne: 'done' } }, { $set: { graph: null } }, { session })
    await edges.deleteMany({ user_id, day }, { session })
    await sources.deleteMany({ user_id, day }, { session })
    await freshEdges.insert(edges, session, edge => ({ ...edge, due: edge.count }))
    await freshSources.insert(sources, session)
  }
  await inTransaction(mongo, rebuild, { retriesDuplicates: true })
  // A build may have begun during the transaction.
  await dropSums(models, user_id)
}

/**
 * Enqueues a build of the sums of a large graph, or of sums that the rebuild dropped. The build removes the dropped
 * sums.
 */
const enqueueRebuilt = async (
  models: NarrativeModels & SumsOutbox,
  user_id: Types.ObjectId,
): Promise<void> => {
  const isLarge = (await models.edges.countDocuments({ user_id }, { limit: SUMS_FROM })) === SUMS_FROM
  if (isLarge || (await models.summed.exists({ _id: user_id }))) await enqueueSums(models, user_id)
}

/** Returns the next user by id with narratives or aggregates. */
const userAfter = async (
  { narratives, edges, sources }: NarrativeModels,
  after: string | null,
): Promise<Types.ObjectId | undefined> => {
  const filter = after === null ? {} : { user_id: { $gt: new Types.ObjectId(after) } }
  const found: Types.ObjectId[] = []
  for (const model of [narratives, edges, sources] as { findOne: NarrativeModels['edges']['findOne'] }[]) {
    const first = await model.findOne(filter, { user_id: 1 }).sort({ user_id: 1 }).lean()
    if (first) found.push(first.user_id)
  }
  return found.sort((a, b) => (a.toHexString() < b.toHexString() ? -1 : 1))[0]
}

/** Time limit of a step within one user's days. */
const STEP_MS = 2_000

/**
 * Runs one bounded step of rebuilding the aggregates from the narratives, while both are in use. An interrupted
 * rebuild can restart from the beginning.
 * @param cursor the previous step's result: a completed user, or a user completed up to a day; null for the start
 */
export const rebuildStep = async (
  models: NarrativeModels & SumsOutbox,
  cursor: string | null,
): Promise<{ cursor: string | null }> => {
  const [known, user, day] = /^([0-9a-f]{24})(?:@(\d{1,15}))?$/.exec(cursor ?? '') ?? []
  if (cursor !== null && known === undefined) throw invalid(['cursor: is malformed'])
  const user_id = day === undefined ? await userAfter(models, user ?? null) : new Types.ObjectId(user)
  if (!user_id) return { cursor: null }
  const days = (await daysOf(models, user_id)).filter(each => each.getTime() > Number(day ?? -1))
  const end = Date.now() + STEP_MS
  for (const each of days) {
    await rebuildDay(models, user_id, each)
    if (Date.now() > end) return { cursor: `${user_id.toHexString()}@${each.getTime()}` }
  }
  await enqueueRebuilt(models, user_id)
  return { cursor: user_id.toHexString() }
}
