import { type Connection, inTransaction } from '@iodine/service-kit'
import type { Types } from 'mongoose'
import { type IodDoc, rankFields, searchFields } from '../models/iod.js'
import type { TallyDoc } from '../models/tally.js'

/** Bounds of a batch: documents, and characters of their texts. */
const BATCH = 200
const BATCH_CHARACTERS = 200_000

/**
 * Indexes and tallies a batch of IODs that an earlier version of the service has written. Idempotent.
 * @param after only later ids, in their order
 * @returns the last id of the batch; undefined when there are none
 */
export const indexIods = async (
  mongo: Connection,
  after?: Types.ObjectId,
): Promise<Types.ObjectId | undefined> => {
  const iods = mongo.collection<IodDoc>('iods')
  const missing = iods
    .find({ ...(after && { _id: { $gt: after } }), grams: null as never })
    .project<IodDoc>({ value: 1, description: 1, category: 1, source_type: 1, votes: 1 })
    .limit(BATCH)
  const batch: IodDoc[] = []
  let characters = 0
  for (const doc of await (after ? missing.sort({ _id: 1 }) : missing).toArray())
    if (characters < BATCH_CHARACTERS) {
      characters += doc.value.length + doc.description.length
      batch.push(doc)
    }
  if (batch.length === 0) return undefined
  await inTransaction(mongo, async session => {
    for (const { _id, category, source_type, ...doc } of batch) {
      const { modifiedCount } = await iods.updateOne(
        { _id, grams: null as never },
        { $set: { ...searchFields(doc), ...rankFields(doc.votes) } },
        { session },
      )
      if (modifiedCount > 0)
        await mongo
          .collection<Omit<TallyDoc, '_id'>>('tallies')
          .insertOne({ category, source_type, n: 1 }, { session })
    }
  })
  return batch.at(-1)?._id
}
