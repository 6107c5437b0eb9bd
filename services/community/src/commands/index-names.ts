import { type Connection, inTransaction } from '@iodine/service-kit'
import type { Types } from 'mongoose'
import type { CounterDoc } from '../models/counter.js'
import type { TermDoc } from '../models/term.js'
import { searchFields, type UserDoc } from '../models/user.js'

const BATCH = 200

/**
 * Stores what a search reads for a batch of users that an earlier version of the service has written: these
 * have suffixes of the name. Idempotent.
 * @param after only later ids, in their order
 * @returns the last id of the batch; undefined when there are none
 */
export const indexNames = async (
  mongo: Connection,
  after?: Types.ObjectId,
): Promise<Types.ObjectId | undefined> => {
  const users = mongo.collection<UserDoc>('users')
  const ofBefore = { ...(after && { _id: { $gt: after } }), suffixes: { $gt: '' } }
  if (!(await users.findOne(ofBefore, { projection: { _id: 1 } }))) return undefined
  return inTransaction(mongo, async session => {
    const found = users.find(ofBefore, { session }).project<UserDoc>({ username: 1, public: 1 }).limit(BATCH)
    const batch = await (after ? found.sort({ _id: 1 }) : found).toArray()
    if (batch.length === 0) return undefined
    await users.bulkWrite(
      batch.map(({ _id, ...user }) => ({
        updateOne: {
          filter: { _id },
          update: { $set: { ...searchFields(user), suffixes: [] } },
        },
      })),
      { session },
    )
    // A count that a search stored meanwhile lacks these names. Both write the counter, as changes of names do.
    await mongo
      .collection<CounterDoc>('counters')
      .updateOne({ _id: 'public_users' }, { $inc: { changes: 1 } }, { session })
    await mongo.collection<TermDoc>('terms').deleteMany({}, { session })
    return batch.at(-1)?._id
  })
}
