import { inTransaction } from '@iodine/service-kit'
import type { ClientSession, QueryFilter } from 'mongoose'
import type { CommunityModels } from '../models/index.js'
import { BY_GRAM, type UserDoc } from '../models/user.js'

/** Number of matches from which the count is stored instead of computed for each search. */
const COMMON = 500

/**
 * Returns the number of public users whose name contains the term. Counts of common terms are stored, and changes of
 * names keep them exact.
 * @param found filter of the users that a search of the term finds
 */
export const countNames = async (
  { mongo, users, counters, terms }: CommunityModels,
  term: string,
  found: QueryFilter<UserDoc>,
): Promise<number> => {
  const stored = await terms.findById(term).lean()
  if (stored) return stored.n
  const few = await users.countDocuments(found).hint(BY_GRAM).limit(COMMON)
  if (few < COMMON) return few
  return inTransaction(mongo, async session => {
    // A concurrent name change would be missed. Both write this document, so one transaction conflicts and is
    // retried.
    await counters.updateOne({ _id: 'public_users' }, { $inc: { changes: 1 } }, { session })
    const n = await users.countDocuments(found).hint(BY_GRAM).session(session)
    await terms.updateOne({ _id: term }, { $set: { n } }, { session, upsert: true })
    return n
  })
}

/** Returns all search terms that match a folded name. */
const termsOf = (name: string): Set<string> => {
  const points = Array.from(name)
  return new Set(
    points.flatMap((_, from) =>
      points.slice(from).map((_, at) => points.slice(from, from + at + 1).join('')),
    ),
  )
}

/** Updates the stored counts after a change of a folded name, which is empty for a user who is not public. */
export const countTerms = async (
  { terms }: CommunityModels,
  before: string,
  after: string,
  session: ClientSession,
): Promise<void> => {
  const [lost, gained] = [termsOf(before), termsOf(after)]
  const count = async (from: Set<string>, other: Set<string>, by: 1 | -1) => {
    const changed = [...from].filter(term => !other.has(term))
    if (changed.length) await terms.updateMany({ _id: { $in: changed } }, { $inc: { n: by } }, { session })
  }
  await count(lost, gained, -1)
  await count(gained, lost, 1)
}
