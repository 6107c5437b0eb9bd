import { isDeepStrictEqual } from 'node:util'
import type { ClientSession, Model } from 'mongoose'

const BATCH = 1_000

/** The id identifies the user, too. Ids of users are objects of the driver, which cache derived values. */
const isSame = (a: { user_id: unknown }, b: { user_id: unknown }): boolean =>
  isDeepStrictEqual({ ...a, user_id: undefined }, { ...b, user_id: undefined })

/** Writes the difference between a user's stored and new documents. Returns the number of writes. */
export const replaceDocs = async <T extends { _id: string; user_id: unknown }>(
  model: Model<T>,
  before: readonly T[],
  after: readonly T[],
  session?: ClientSession,
): Promise<number> => {
  const known = new Map(before.map(doc => [doc._id, doc]))
  const wanted = new Set(after.map(({ _id }) => _id))
  const changed = after.filter(doc => {
    const old = known.get(doc._id)
    return !old || !isSame(old, doc)
  })
  const gone = before.filter(({ _id }) => !wanted.has(_id)).map(({ _id }) => _id)
  const writes = [
    ...changed.map(doc => ({ replaceOne: { filter: { _id: doc._id }, replacement: doc, upsert: true } })),
    ...gone.map(_id => ({ deleteOne: { filter: { _id } } })),
  ]
  // The driver writes: Mongoose would cast each operation.
  for (let start = 0; start < writes.length; start += BATCH)
    await model.collection.bulkWrite(
      writes.slice(start, start + BATCH) as never[],
      session ? { session, ordered: true } : { ordered: false },
    )
  return writes.length
}
