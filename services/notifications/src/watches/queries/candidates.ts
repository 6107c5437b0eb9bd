import type { QueryFilter } from 'mongoose'
import type { Models } from '../../models.js'
import type { WatchDoc } from '../models/watch.js'

/** Keys of one query: a long record has some thousand. */
const KEYS_AT_ONCE = 2_000

/**
 * Returns the active watches that have one of the keys, by the index of keys.
 * @param options `scope` restricts them to those of some users; `withKeys` returns their keys, which texts have many of
 */
export const findCandidates = async (
  { watches }: Pick<Models, 'watches'>,
  keys: readonly string[],
  { scope = {}, withKeys = false }: { scope?: QueryFilter<WatchDoc>; withKeys?: boolean } = {},
): Promise<WatchDoc[]> => {
  const found = new Map<string, WatchDoc>()
  for (let at = 0; at < keys.length; at += KEYS_AT_ONCE) {
    // The driver reads: Mongoose would cast each key.
    const docs = await watches.collection
      .find({ ...scope, keys: { $in: keys.slice(at, at + KEYS_AT_ONCE) }, paused: false } as never)
      .hint({ keys: 1 })
      .project<WatchDoc>(withKeys ? {} : { keys: 0 })
      .toArray()
    for (const doc of docs) found.set(doc._id.toHexString(), doc)
  }
  return [...found.values()]
}
