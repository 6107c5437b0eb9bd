import { type IodDay, LIMITS } from '@iodine/contracts'
import { createSharedReads } from '@iodine/service-kit'
import { LRUCache } from 'lru-cache'
import { Types } from 'mongoose'
import type { IodModels } from '../../models.js'
import { BY, BY_DATE } from '../models/iod.js'

const DAY_MS = 24 * 3_600_000
/** Delay after which a past day's count is final: pending writes are stored by then, and servers' clocks differ. */
const FINAL_MS = 3_600_000
/** Maximum age of a cached count: a restored database or a wrong clock may falsify it. */
const MAX_AGE_MS = DAY_MS

const nameOf = (day: number): string => new Date(day).toISOString().slice(0, 10)

/**
 * Creates a counter of the IODs created on each of the last UTC days, in total and by a user. IODs are never deleted,
 * so counts of final days are cached.
 * @returns a function of the user's id and the number of days, 1 to `LIMITS.countedDaysMax`
 */
export const createDayCounts = ({ iods }: Pick<IodModels, 'iods'>) => {
  /** Counts of final days, by the start of the day. */
  const finalCounts = new LRUCache<number, number>({ max: LIMITS.countedDaysMax, ttl: MAX_AGE_MS })
  const sharedAll = createSharedReads<number, number>()
  const sharedOwn = createSharedReads<string, Map<string, number>>()

  const allOn = async (day: number, now: number): Promise<number> => {
    const known = finalCounts.get(day)
    if (known !== undefined) return known
    const created_at = { $gte: new Date(day), $lt: new Date(day + DAY_MS) }
    const n = await sharedAll(day, async () => iods.countDocuments({ created_at }).hint(BY_DATE as never))
    if (day + DAY_MS + FINAL_MS < now) finalCounts.set(day, n)
    return n
  }

  /** Counts a user's IODs by day, always over the maximum period, so that the user's requests share one read. */
  const ownSince = async (userId: string, since: number): Promise<Map<string, number>> => {
    const filter = { created_by: new Types.ObjectId(userId), created_at: { $gte: new Date(since) } }
    const day = { $dateToString: { date: '$created_at', format: '%Y-%m-%d' } }
    const days = await iods
      .aggregate<{ _id: string; n: number }>([{ $match: filter }, { $group: { _id: day, n: { $sum: 1 } } }])
      .hint({ ...BY.creator, ...BY_DATE })
    return new Map(days.map(({ _id, n }) => [_id, n]))
  }

  return async (userId: string, days: number): Promise<IodDay[]> => {
    const now = Date.now()
    const today = now - (now % DAY_MS)
    const since = today - (LIMITS.countedDaysMax - 1) * DAY_MS
    // Counted before the totals: IODs created meanwhile may only raise the totals.
    const own = await sharedOwn(userId, () => ownSince(userId, since))
    const counts: IodDay[] = []
    for (let day = today - (days - 1) * DAY_MS; day <= today; day += DAY_MS)
      counts.push({ day: nameOf(day), all: await allOn(day, now), own: own.get(nameOf(day)) ?? 0 })
    return counts
  }
}
