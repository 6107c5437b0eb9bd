import { inTransaction } from '@iodine/service-kit'
import type { QueryFilter } from 'mongoose'
import type { CommunityModels } from '../models/index.js'
import { BY_SUFFIX, type UserDoc } from '../models/user.js'

/** From this number of matches on, the count is stored instead of computed for each search. */
const COMMON = 500

/**
 * Number of public users whose name contains the term. Counts of common terms are stored, and changes of
 * names keep them exact.
 * @param bySuffix the filter on the suffix index for the term
 */
export const countNames = async (
  { mongo, users, counters, terms }: CommunityModels,
  term: string,
  bySuffix: QueryFilter<UserDoc>,
): Promise<number> => {
  const kept = await terms.findById(term).lean()
  if (kept) return kept.n
  const few = await users.countDocuments(bySuffix).hint(BY_SUFFIX).limit(COMMON)
  if (few < COMMON) return few
  return inTransaction(mongo, async session => {
    // A concurrent name change would be missed. Both write this document, so one transaction conflicts and is
    // retried.
    await counters.updateOne({ _id: 'public_users' }, { $inc: { changes: 1 } }, { session })
    const n = await users.countDocuments(bySuffix).hint(BY_SUFFIX).session(session)
    await terms.updateOne({ _id: term }, { $set: { n } }, { session, upsert: true })
    return n
  })
}
