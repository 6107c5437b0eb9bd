import { type Connection, inTransaction } from '@iodine/service-kit'
import { type QueryFilter, Types } from 'mongoose'
import { type IodDoc, rankFields, searchFields } from '../models/iod.js'
import type { TallyDoc } from '../models/tally.js'

/** Bounds of a batch: documents, and characters of their texts. */
const BATCH = 200
const BATCH_CHARACTERS = 200_000

const NOT_INDEXED = { ngrams: null as never } satisfies QueryFilter<IodDoc>
/** IODs of the version that had neither tallies nor numbers of votes. */
export const NOT_TALLIED = { ...NOT_INDEXED, votes_total: null as never } satisfies QueryFilter<IodDoc>

/**
 * Indexes, and tallies where due, a batch of IODs that an earlier version of the service has written. Idempotent.
 * @param after only later ids, in their order
 * @returns the last id of the batch; undefined when there are none
 */
export const indexIods = async (
  mongo: Connection,
  after?: Types.ObjectId,
): Promise<Types.ObjectId | undefined> => {
  const iods = mongo.collection<IodDoc>('iods')
  const missing = iods
    .find({ ...(after && { _id: { $gt: after } }), ...NOT_INDEXED })
    .project<IodDoc>({ value: 1, description: 1, category: 1, source_type: 1, votes: 1, votes_total: 1 })
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
    for (const { _id, category, source_type, votes_total, ...doc } of batch) {
      const isTallied = votes_total !== undefined
      const { modifiedCount } = await iods.updateOne(
        { _id, ...NOT_INDEXED },
        {
          $set: { ...searchFields(doc), ...(isTallied ? {} : rankFields(doc.votes)) },
          $unset: { grams: 1 } as never,
        },
        { session },
      )
      if (modifiedCount > 0 && !isTallied)
        await mongo
          .collection<Omit<TallyDoc, '_id'>>('tallies')
          .insertOne({ category, source_type, n: 1 }, { session })
    }
  })
  return batch.at(-1)?._id
}

/** Indexes all IODs that an earlier version has written. */
export const indexAllIods = async (mongo: Connection): Promise<void> => {
  for (let after: Types.ObjectId | undefined = new Types.ObjectId('0'.repeat(24)); after; )
    after = await indexIods(mongo, after)
}
