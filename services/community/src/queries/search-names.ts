import { foldText } from '@iodine/contracts'
import { containing, createRarestGram, gramsOfTerm, pageAfter } from '@iodine/service-kit'
import type { QueryFilter } from 'mongoose'
import type { CommunityModels } from '../models/index.js'
import { BY_GRAM, NEWEST_FIRST, type UserDoc } from '../models/user.js'

export interface NamePage {
  skip: number
  limit: number
  cursor: string | undefined
}

/** Counts the public users whose name contains a term; `found` is their filter. */
export type CountNames = (term: string, found: QueryFilter<UserDoc>) => Promise<number>

/**
 * Creates the search of public users whose name contains a term literally, in any case, newest first, with their
 * number. A page is read from the index of the term's rarest gram, which has this order.
 */
export const createNameSearch = (models: CommunityModels, countNames: CountNames) => {
  const rarest = createRarestGram(models.users, 'grams', { _id: -1 })
  return async (
    search: string,
    { skip, limit, cursor }: NamePage,
  ): Promise<{ docs: UserDoc[]; total: number }> => {
    const term = foldText(search)
    const { gram } = await rarest(gramsOfTerm(term))
    const found = { grams: gram, public: true, search: containing(term) }
    const docs = await models.users
      .find(pageAfter<UserDoc>(found, cursor))
      .hint(BY_GRAM)
      .sort(NEWEST_FIRST)
      .skip(skip)
      .limit(limit)
      .lean<UserDoc[]>()
    const isWhole = skip === 0 && cursor === undefined && docs.length < limit
    return { docs, total: isWhole ? docs.length : await countNames(term, found) }
  }
}
