import { connectMongo, prepareModels } from '@iodine/service-kit'
import { type ClientSession, type Model, Types } from 'mongoose'
import type { NarrativesConfig } from '../config.js'
import { DAY_MS, dayOf, edgesOf } from '../models/edge.js'
import { linkKeysOf, type NarrativeDoc } from '../models/narrative.js'
import { sourcesOf } from '../models/source.js'
import { type Collections, createCollections, inTransaction } from '../store.js'

const BATCH = 1_000

/** The days on which a user has narratives or aggregates. */
const daysOf = async (
  { narratives, edges, sources }: Collections,
  user_id: Types.ObjectId,
): Promise<Date[]> => {
  const days = new Set<number>()
  for (const day of await edges.distinct('day', { user_id })) days.add((day as Date).getTime())
  for (const day of await sources.distinct('day', { user_id })) days.add((day as Date).getTime())
  const times = narratives.find({ user_id }, { created_at: 1 }).lean<Pick<NarrativeDoc, 'created_at'>[]>()
  for await (const { created_at } of times.cursor()) days.add(dayOf(created_at).getTime())
  return [...days].sort((a, b) => a - b).map(time => new Date(time))
}

interface Counted {
  _id: string
  count: number
}

/** Rows of equal ids counted together. */
const createTally = <T extends Counted>() => {
  const rows = new Map<string, T>()
  return {
    add(added: readonly T[]): void {
      for (const row of added) {
        const known = rows.get(row._id)
        if (known) known.count += row.count
        else rows.set(row._id, row)
      }
    },
    async insert(model: Model<T>, session: ClientSession): Promise<void> {
      const all = [...rows.values()]
      for (let start = 0; start < all.length; start += BATCH)
        await model.insertMany(all.slice(start, start + BATCH), { session, lean: true })
    },
  }
}

/** Replaces a user's aggregates of one day by a fresh count. Every narrative counted gets a new mark, so that a deletion meanwhile is a conflict. */
const rebuildDay = (collections: Collections, user_id: Types.ObjectId, day: Date): Promise<void> =>
  inTransaction(collections, async session => {
    const { narratives, edges, sources } = collections
    const ofDay = { user_id, created_at: { $gte: day, $lt: new Date(day.getTime() + DAY_MS) } }
    const freshEdges = createTally<ReturnType<typeof edgesOf>[number]>()
    const freshSources = createTally<ReturnType<typeof sourcesOf>[number]>()
    const marks: Parameters<typeof narratives.bulkWrite>[0][number][] = []
    const done = narratives.find({ ...ofDay, state: 'done' }, { text: 0 }, { session }).lean<NarrativeDoc[]>()
    for await (const narrative of done.cursor()) {
      freshEdges.add(edgesOf(narrative))
      freshSources.add(sourcesOf(narrative))
      const change = { graph: new Types.ObjectId(), link_keys: linkKeysOf(narrative.triplets) }
      marks.push({ updateOne: { filter: { _id: narrative._id }, update: { $set: change } } })
    }
    for (let start = 0; start < marks.length; start += BATCH)
      await narratives.bulkWrite(marks.slice(start, start + BATCH), { session })
    await narratives.updateMany({ ...ofDay, state: { $ne: 'done' } }, { $set: { graph: null } }, { session })
    await edges.deleteMany({ user_id, day }, { session })
    await sources.deleteMany({ user_id, day }, { session })
    await freshEdges.insert(edges, session)
    await freshSources.insert(sources, session)
  })

/** Recomputes one user's aggregates, a day at a time. Returns how many days were counted. */
export const rebuildUser = async (collections: Collections, user_id: Types.ObjectId): Promise<number> => {
  const days = await daysOf(collections, user_id)
  for (const day of days) await rebuildDay(collections, user_id, day)
  return days.length
}

/** Recomputes the graph's aggregates from the narratives, while everything runs on. Returns how many days were counted. */
export const rebuildGraph = async (collections: Collections): Promise<number> => {
  const { narratives, edges, sources } = collections
  const users = new Map<string, Types.ObjectId>()
  for (const model of [narratives, edges, sources] as { distinct: Collections['edges']['distinct'] }[])
    for (const id of await model.distinct('user_id')) users.set(String(id), id as Types.ObjectId)
  let rebuilt = 0
  for (const user_id of users.values()) rebuilt += await rebuildUser(collections, user_id)
  return rebuilt
}

/** The operator's command: rebuilds with nothing but the database. Returns how many users' days were counted. */
export const rebuildGraphOnce = async ({
  MONGODB_URI,
  MONGODB_PREFIX,
}: Pick<NarrativesConfig, 'MONGODB_URI' | 'MONGODB_PREFIX'>): Promise<number> => {
  const mongo = await connectMongo(MONGODB_URI, `${MONGODB_PREFIX}_narratives`)
  try {
    const collections = createCollections(mongo)
    await prepareModels(mongo)
    return await rebuildGraph(collections)
  } finally {
    await mongo.close()
  }
}
