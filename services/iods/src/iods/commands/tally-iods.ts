import { CATEGORIES, SOURCE_TYPES } from '@iodine/contracts'
import { inTransaction, type StoreService } from '@iodine/service-kit'
import { Types } from 'mongoose'
import type { IodModels } from '../../models.js'
import type { TallyDoc } from '../models/tally.js'
import { sumTallies } from '../queries/count-iods.js'

type Models = Pick<IodModels, 'mongo' | 'iods' | 'tallies'>

/** Minimum number of tallies that starts a merge, and maximum per merge. */
const MERGED_MIN = 200
const MERGED_MAX = 5_000

/** Merges the tallies of each kind into one, once there are `MERGED_MIN`. */
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

const KINDS = CATEGORIES.flatMap(category => SOURCE_TYPES.map(source_type => ({ category, source_type })))

/** Counts all IODs, in one snapshot, and corrects the tallies of kinds whose sum differs. */
export const recount = (
  { mongo, iods, tallies }: Models,
  log: Pick<StoreService['log'], 'warn'>,
): Promise<void> =>
  inTransaction(
    mongo,
    async session => {
      const known = await sumTallies(tallies, session)
      for (const [index, kind] of KINDS.entries()) {
        const counted = await iods.countDocuments(kind).session(session)
        const sum = known.find(
          ({ category, source_type }) => category === kind.category && source_type === kind.source_type,
        )
        const n = counted - (sum?.n ?? 0)
        // A kind's correction has a fixed id: replicas that find the same difference conflict, and one retries.
        const _id = Types.ObjectId.createFromTime(index)
        const correction = { $inc: { n }, $setOnInsert: kind }
        if (n === 0) continue
        log.warn({ ...kind, n }, 'tally corrected')
        await tallies.updateOne({ _id }, correction, { session, upsert: true })
      }
    },
    { retriesDuplicates: true },
  )
