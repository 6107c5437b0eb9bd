import { CATEGORIES, SOURCE_TYPES } from '@iodine/contracts'
import { inTransaction } from '@iodine/service-kit'
import type { IodModels } from '../models/index.js'
import type { RecountDoc, TallyDoc } from '../models/tally.js'
import { countByKind, sumTallies } from '../queries/count-iods.js'
import { NOT_TALLIED } from './index-iods.js'

type Models = Pick<IodModels, 'mongo' | 'iods' | 'tallies' | 'recounts'>

/** Tallies from which on they are merged, and at most at once. */
const MERGED_MIN = 200
const MERGED_MAX = 5_000
const RECOUNT_MS = 24 * 3_600_000

/** Merges the tallies of each kind into one, when there are many. */
export const mergeTallies = async ({ mongo, tallies }: Models): Promise<void> => {
  if ((await tallies.estimatedDocumentCount()) < MERGED_MIN) return
  await inTransaction(mongo, async session => {
    const sums = new Map<string, Omit<TallyDoc, '_id'>>()
    const read = await tallies.find().limit(MERGED_MAX).session(session).lean<TallyDoc[]>()
    for (const { category, source_type, n } of read) {
      const kind = `${category} ${source_type}`
      sums.set(kind, { category, source_type, n: (sums.get(kind)?.n ?? 0) + n })
    }
    await tallies.deleteMany({ _id: { $in: read.map(({ _id }) => _id) } }, { session })
    await tallies.insertMany([...sums.values()], { session })
  })
}

/**
 * Counts all IODs again, at most once a day, and corrects the tallies.
 * @returns how many kinds were wrong
 */
export const recount = async ({ mongo, iods, tallies, recounts }: Models): Promise<number> => {
  const now = new Date()
  const last = await recounts.findById('tallies').lean<RecountDoc>()
  if (!last) {
    await recounts.updateOne({ _id: 'tallies' }, { $setOnInsert: { at: now } }, { upsert: true })
    return 0
  }
  if (last.at.getTime() >= now.getTime() - RECOUNT_MS) return 0
  const claimed = await recounts.updateOne({ _id: 'tallies', at: last.at }, { $set: { at: now } })
  if (claimed.matchedCount === 0) return 0
  // One snapshot. An IOD and its tally are inserted together, so the differences hold for later ones too.
  const differences = await inTransaction(mongo, async session => {
    const known = [
      ...(await sumTallies(tallies, session)),
      ...(await countByKind(iods, NOT_TALLIED, session)),
    ]
    const found: Omit<TallyDoc, '_id'>[] = []
    for (const category of CATEGORIES)
      for (const source_type of SOURCE_TYPES) {
        const kind = { category, source_type }
        const stored = await iods.countDocuments(kind).session(session)
        const n = known
          .filter(each => each.category === category && each.source_type === source_type)
          .reduce((left, each) => left - each.n, stored)
        if (n !== 0) found.push({ ...kind, n })
      }
    return found
  })
  await tallies.insertMany(differences)
  return differences.length
}
