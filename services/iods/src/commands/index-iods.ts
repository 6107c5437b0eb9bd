import { CATEGORIES, SOURCE_TYPES } from '@iodine/contracts'
import { type Connection, inTransaction } from '@iodine/service-kit'
import type { Types } from 'mongoose'
import { type IodDoc, rankFields, searchFields } from '../models/iod.js'
import { SLOTS, type TallyDoc, tallied } from '../models/tally.js'

/** Bounds of a batch: documents, and characters of their texts. */
const BATCH = 200
const BATCH_CHARACTERS = 200_000
const RECOUNT_MS = 24 * 3_600_000

const collections = (mongo: Connection) => ({
  iods: mongo.collection<IodDoc>('iods'),
  tallies: mongo.collection<TallyDoc>('tallies'),
})

/** Creates the slots of the tallies that do not exist. */
export const createSlots = async (mongo: Connection): Promise<void> => {
  const update = { $setOnInsert: { n: {}, checked_at: new Date() } }
  const slots = Array.from({ length: SLOTS }, (_, _id) => ({
    updateOne: { filter: { _id }, update, upsert: true },
  }))
  await collections(mongo).tallies.bulkWrite(slots)
}

/**
 * Indexes and tallies a batch of IODs that an earlier version of the service has written. Idempotent.
 * @param after only later ids, in their order
 * @returns the last id of the batch; undefined when there are none
 */
export const indexIods = async (
  mongo: Connection,
  after?: Types.ObjectId,
): Promise<Types.ObjectId | undefined> => {
  const { iods, tallies } = collections(mongo)
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
        await tallies.updateOne({ _id: 0 }, { $inc: tallied(category, source_type) as never }, { session })
    }
  })
  return batch.at(-1)?._id
}

/**
 * Counts all IODs again, at most once a day, and corrects the tallies.
 * @returns how many kinds were wrong
 */
export const recount = async (mongo: Connection): Promise<number> => {
  const { iods, tallies } = collections(mongo)
  const due = { _id: 0, checked_at: { $lt: new Date(Date.now() - RECOUNT_MS) } }
  const { matchedCount } = await tallies.updateOne(due, { $set: { checked_at: new Date() } })
  if (matchedCount === 0) return 0
  // One snapshot. An IOD and its tally change together, so the difference holds for later ones too.
  const differences = await inTransaction(mongo, async session => {
    const slots = await tallies.find({}, { session }).toArray()
    const found: Record<string, number> = {}
    for (const category of CATEGORIES)
      for (const source_type of SOURCE_TYPES) {
        const kind = { category, source_type }
        const stored = await iods.countDocuments(kind, { session })
        const missing = await iods.countDocuments({ ...kind, grams: null as never }, { session })
        const told = slots.reduce((sum, { n }) => sum + (n[category]?.[source_type] ?? 0), 0)
        if (stored - missing !== told)
          Object.assign(found, tallied(category, source_type, stored - missing - told))
      }
    return found
  })
  if (Object.keys(differences).length > 0) await tallies.updateOne({ _id: 0 }, { $inc: differences as never })
  return Object.keys(differences).length
}
