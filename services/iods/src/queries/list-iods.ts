import type { Category, IodFacets, SourceType } from '@iodine/contracts'
import type { UserDirectory } from '@iodine/service-kit'
import { type QueryFilter, Types } from 'mongoose'
import type { IodDoc, IodModel } from '../models/iod.js'
import { RollingCounts, sumFacets } from './counts.js'
import { createIodSearch } from './search.js'

export interface IodFilters {
  q?: string | undefined
  category?: Category[] | undefined
  source_type?: SourceType[] | undefined
  /** User ids, or usernames in any case. */
  created_by?: string[] | undefined
}

export interface IodQueries {
  /** The filters as a MongoDB filter, and the exact facets under them. */
  prepare(filters: IodFilters): Promise<{ filter: QueryFilter<IodDoc>; facets: () => Promise<IodFacets> }>
}

const ID = /^[0-9a-f]{24}$/i
const KEPT_SEARCHES = 200
const anyOf = <T>(values: T[]) => (values.length === 1 ? values[0] : { $in: values })

export const createIodQueries = (model: IodModel, directory: UserDirectory): IodQueries => {
  const search = createIodSearch(model)
  const all = new RollingCounts(model, {})
  const searches = new Map<string, RollingCounts>()

  const countsOf = (q: string | undefined, match: QueryFilter<IodDoc>): RollingCounts => {
    if (!q) return all
    const counts = searches.get(q) ?? new RollingCounts(model, match)
    // Put last again: the one not asked for the longest goes first.
    searches.delete(q)
    searches.set(q, counts)
    if (searches.size > KEPT_SEARCHES) searches.delete(searches.keys().next().value as string)
    return counts
  }

  /** Ids stand for themselves; names are sought among those who created IODs. */
  const creatorIds = async (given: string[]): Promise<string[]> => {
    const ids = given.filter(name => ID.test(name)).map(id => id.toLowerCase())
    const names = new Set(given.filter(name => !ID.test(name)).map(name => name.toLowerCase()))
    if (names.size > 0) {
      const creators = new Set<string>()
      for (const part of await all.groups())
        for (const { users } of part.values()) for (const id of users.keys()) creators.add(id)
      for (const [id, name] of await directory.usernames(creators))
        if (names.has(name.toLowerCase())) ids.push(id)
    }
    return ids
  }

  return {
    async prepare({ q, category, source_type, created_by }) {
      const [match, users] = await Promise.all([
        q ? search.filter(q) : {},
        created_by && creatorIds(created_by),
      ])
      const filter: QueryFilter<IodDoc> = {
        ...match,
        ...(category && { category: anyOf(category) }),
        ...(source_type && { source_type: anyOf(source_type) }),
        ...(users && { created_by: anyOf(users.map(id => new Types.ObjectId(id))) }),
      }
      const counts = countsOf(q, match)
      return {
        filter,
        facets: async () => sumFacets(await counts.groups(), { category, source_type, users }),
      }
    },
  }
}
