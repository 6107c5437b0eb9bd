import type { ClientSession } from 'mongoose'
import { createSingleFlight } from '../single-flight.js'
import { type Connection, inTransaction, isDuplicateKey } from './mongo.js'
import { type Amounts, dayOf, type Owner, ownerOf, type UsageDoc, type UsageModel, usageId } from './usage.js'

/** Age of a usage at which it is recounted. */
const RECOUNT_MS = 24 * 3_600_000

export interface CountOptions<K extends string> {
  mongo: Connection
  /** The quota that resets each day (UTC). */
  daily?: K
  /** Counts an owner's usage from scratch. @param midnight start of the day */
  count(owner: Owner, session: ClientSession, midnight: Date): Promise<Amounts<K>>
  /** Returns all owners with content. */
  owners(): Promise<Owner[]>
}

/** Creates the functions that store usages counted from scratch. */
export const createUsageCounts = <K extends string>(
  model: UsageModel,
  { mongo, daily, count, owners }: CountOptions<K>,
) => {
  const fromScratch = async (owner: Owner, session: ClientSession) => {
    const checked_at = new Date()
    const day = dayOf(checked_at)
    return { used: await count(owner, session, new Date(day)), day, checked_at }
  }

  const building = createSingleFlight<string, void>()
  /** Counts an owner for the first time. Concurrent calls for one owner share the count. */
  const build = (owner: Owner): Promise<void> => {
    const _id = usageId(owner)
    return building(_id, async () => {
      try {
        await inTransaction(mongo, async session => {
          // Inserted first, so that concurrent transactions conflict.
          const empty = { _id, used: {}, day: '', checked_at: new Date() }
          // The driver inserts: the document is complete.
          await model.collection.insertOne(empty as never, { session })
          await model.updateOne({ _id }, { $set: await fromScratch(owner, session) }, { session })
        })
      } catch (error) {
        // Another process inserted it concurrently.
        if (!isDuplicateKey(error)) throw error
      }
    })
  }

  const isDue = () => ({ checked_at: { $lt: new Date(Date.now() - RECOUNT_MS) } })
  /** Recounts a usage, unless another process has. Resolves to whether it was wrong. */
  const rebuild = (id: string): Promise<boolean> =>
    inTransaction(mongo, async session => {
      const before = await model
        .findOneAndUpdate({ _id: id, ...isDue() }, { $set: { checked_at: new Date() } }, { session })
        .lean<UsageDoc>()
      if (!before) return false
      const now = await fromScratch(ownerOf(id), session)
      const names = new Set([...Object.keys(before.used), ...Object.keys(now.used)])
      if (before.day !== now.day && daily) names.delete(daily)
      await model.updateOne({ _id: id }, { $set: now }, { session })
      return [...names].some(name => (before.used[name] ?? 0) !== (now.used[name as K] ?? 0))
    })

  /** Owners without a usage; undefined before the first search. */
  let uncounted: Owner[] | undefined
  const buildMissing = async (signal: AbortSignal): Promise<void> => {
    if (!uncounted) {
      const counted = new Set((await model.find({}, { _id: 1 }).lean<UsageDoc[]>()).map(({ _id }) => _id))
      uncounted = (await owners()).filter(owner => !counted.has(usageId(owner)))
    }
    for (let owner = uncounted[0]; owner !== undefined && !signal.aborted; owner = uncounted[0]) {
      await build(owner)
      uncounted.shift()
    }
  }

  /** Counts owners without a usage and recounts those whose count is a day old. Returns the number of wrong usages. */
  const recount = async (signal: AbortSignal): Promise<number> => {
    await buildMissing(signal)
    let wrong = 0
    const errors: unknown[] = []
    for await (const { _id } of model.find(isDue(), { _id: 1 }).lean<UsageDoc[]>().cursor()) {
      if (signal.aborted) break
      // One owner must not keep the others from their recount.
      await rebuild(_id).then(
        isWrong => isWrong && wrong++,
        error => errors.push(error),
      )
    }
    if (errors.length > 0) throw errors[0]
    return wrong
  }

  return { build, recount }
}
