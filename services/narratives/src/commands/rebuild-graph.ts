import { Types } from 'mongoose'
import { DAY_MS, dayOf, type EdgeDoc, edgesOf } from '../models/edge.js'
import type { NarrativeDoc } from '../models/narrative.js'
import { inTransaction, type Store } from '../store.js'

const INSERT_BATCH = 1_000

/** The days on which a user has narratives or aggregates. */
const daysOf = async ({ narratives, edges }: Store, user_id: Types.ObjectId): Promise<Date[]> => {
  const days = new Set((await edges.distinct('day', { user_id })).map(day => (day as Date).getTime()))
  const times = narratives.find({ user_id }, { created_at: 1 }).lean<Pick<NarrativeDoc, 'created_at'>[]>()
  for await (const { created_at } of times.cursor()) days.add(dayOf(created_at).getTime())
  return [...days].sort((a, b) => a - b).map(time => new Date(time))
}

/** Replaces a user's aggregates of one day by a fresh count. Every narrative counted gets a new mark, so that a deletion meanwhile is a conflict. */
const rebuildDay = (store: Store, user_id: Types.ObjectId, day: Date): Promise<void> =>
  inTransaction(store, async session => {
    const { narratives, edges } = store
    const ofDay = { user_id, created_at: { $gte: day, $lt: new Date(day.getTime() + DAY_MS) } }
    const fresh = new Map<string, EdgeDoc>()
    const done = narratives.find({ ...ofDay, state: 'done' }, null, { session }).lean<NarrativeDoc[]>()
    for await (const narrative of done.cursor())
      for (const edge of edgesOf(narrative)) {
        const known = fresh.get(edge._id)
        if (known) known.count += edge.count
        else fresh.set(edge._id, edge)
      }
    const counted = { $set: { graph: new Types.ObjectId() } }
    await narratives.updateMany({ ...ofDay, state: 'done' }, counted, { session })
    await narratives.updateMany({ ...ofDay, state: { $ne: 'done' } }, { $set: { graph: null } }, { session })
    await edges.deleteMany({ user_id, day }, { session })
    const rows = [...fresh.values()]
    for (let start = 0; start < rows.length; start += INSERT_BATCH)
      await edges.insertMany(rows.slice(start, start + INSERT_BATCH), { session, lean: true })
  })

/** Recomputes one user's aggregates, a day at a time. Returns how many days were counted. */
export const rebuildUser = async (store: Store, user_id: Types.ObjectId): Promise<number> => {
  const days = await daysOf(store, user_id)
  for (const day of days) await rebuildDay(store, user_id, day)
  return days.length
}

/** Recomputes the graph's aggregates from the narratives, while everything runs on. Returns how many days were counted. */
export const rebuildGraph = async (store: Store): Promise<number> => {
  const users = new Map<string, Types.ObjectId>()
  for (const model of [store.narratives, store.edges] as { distinct: Store['edges']['distinct'] }[])
    for (const id of await model.distinct('user_id')) users.set(String(id), id as Types.ObjectId)
  let rebuilt = 0
  for (const user_id of users.values()) rebuilt += await rebuildUser(store, user_id)
  return rebuilt
}
