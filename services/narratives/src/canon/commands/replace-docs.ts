import type { ClientSession, Model } from 'mongoose'

const BATCH = 1_000

/** Writes the difference between stored and new documents. Returns the number of writes. */
export const replaceDocs = async <T extends { _id: string }>(
  model: Model<T>,
  before: readonly T[],
  after: readonly T[],
  isSame: (a: T, b: T) => boolean,
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
  for (let start = 0; start < writes.length; start += BATCH)
    await model.collection.bulkWrite(
      writes.slice(start, start + BATCH) as never[],
      session ? { session, ordered: true } : { ordered: false },
    )
  return writes.length
}
