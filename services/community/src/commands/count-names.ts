import { inTransaction } from '@iodine/service-kit'
import type { QueryFilter } from 'mongoose'
import type { CommunityModels } from '../models/index.js'
import { BY_SUFFIX, type UserDoc } from '../models/user.js'

/** From so many names on, how many hold a term is kept rather than counted at each search. */
const COMMON = 500

/**
 * How many public users have a name that holds the term. Counts of common terms are stored, and kept exact by the changes of
 * names from then on.
 * @param bySuffix the filter on the index of suffixes that the term stands for
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
    // Names that change while we count would be missed: writing what they write makes one of us try again.
    await counters.updateOne({ _id: 'public_users' }, { $inc: { changes: 1 } }, { session })
    const n = await users.countDocuments(bySuffix).hint(BY_SUFFIX).session(session)
    await terms.updateOne({ _id: term }, { $set: { n } }, { session, upsert: true })
    return n
  })
}
