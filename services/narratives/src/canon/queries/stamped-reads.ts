import { createSharedReads } from '@iodine/service-kit'
import type { Types } from 'mongoose'
import type { NarrativeModels } from '../../models.js'
import { createStampedCache } from '../../stamped-cache.js'
import { type CanonStamp, stampOf } from './canon-map.js'

/** Time after which a read starts another build beside a running one. */
const TIMEOUT_MS = 20_000

/**
 * Creates a reader of values that are built from a user's clusters and texts. Values are cached while these are
 * unchanged, and concurrent reads share a build.
 * @param maxWeight of all cached values together
 */
export const createStampedReads = <T>(
  models: Pick<NarrativeModels, 'canon'>,
  maxWeight: number,
  weigh: (value: T) => number,
) => {
  const cache = createStampedCache<T>(maxWeight, weigh)
  const reading = createSharedReads<string, T>(TIMEOUT_MS)
  return (name: string, user_id: Types.ObjectId, build: (now: CanonStamp) => Promise<T>): Promise<T> =>
    reading(name, async () => {
      const now = await stampOf(models, user_id)
      const stamp = `${now.version} ${now.texts}`
      // The data is of this stamp or later. With a later stamp it is read again.
      return cache.get(name, stamp) ?? cache.put(name, stamp, await build(now))
    })
}
