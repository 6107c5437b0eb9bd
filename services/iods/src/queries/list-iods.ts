import type { Category, IodFacets, SourceType } from '@iodine/contracts'
import type { UserDirectory } from '@iodine/service-kit'
import { type QueryFilter, Types } from 'mongoose'
import { BY_DATE, BY_GRAM, type IodDoc, type IodModel } from '../models/iod.js'
import { RollingCounts, sumFacets } from './counts.js'
import { createIodSearch } from './search.js'

export interface IodFilters {
  q?: string | undefined
  category?: Category[] | undefined
  source_type?: SourceType[] | undefined
  /** User ids, or usernames in any case. */
  created_by?: string[] | undefined
}

export interface IodQuery {
  filter: QueryFilter<IodDoc>
  /** Exact counts under the filters. */
  facets(): Promise<IodFacets>
  /** The newest `size` IODs of the filter narrowed to a page. */
  find(page: QueryFilter<IodDoc>, size: number): Promise<IodDoc[]>
}

const ID = /^[0-9a-f]{24}$/i
const KEPT_SEARCHES = 200
const anyOf = <T>(values: T[]) => (values.length === 1 ? values[0] : { $in: values })

const newestFirst = (a: IodDoc, b: IodDoc): number =>
  b.created_at.getTime() - a.created_at.getTime() || Buffer.compare(b._id.id, a._id.id)

/** Equality filters, each with an index in list order, that together select what the filters do. */
const streamsOf = (
  category: Category[] | undefined,
  source_type: SourceType[] | undefined,
  creators: Types.ObjectId[] | undefined,
): QueryFilter<IodDoc>[] => {
  if (creators) return creators.map(created_by => ({ created_by }))
  const categories = category ? [...new Set(category)].map(one => ({ category: one })) : [{}]
  const sourceTypes = source_type ? [...new Set(source_type)].map(one => ({ source_type: one })) : [{}]
  return categories.flatMap(one => sourceTypes.map(other => ({ ...one, ...other })))
}

/** Makes filters ready to be read. The cost of a page stays that of its size, not of all that matches. */
export const createIodQueries = (
  model: IodModel,
  directory: UserDirectory,
): ((filters: IodFilters) => Promise<IodQuery>) => {
  const search = createIodSearch(model)
  const all = new RollingCounts(model, {})
  const searches = new Map<string, RollingCounts>()

  const searchCounts = (q: string, match: QueryFilter<IodDoc>): RollingCounts => {
    const counts = searches.get(q) ?? new RollingCounts(model, match)
    // Put last again: the one not asked for the longest goes first.
    searches.delete(q)
    searches.set(q, counts)
    if (searches.size > KEPT_SEARCHES) searches.delete(searches.keys().next().value as string)
    return counts
  }

  /** Ids stand for themselves; names are sought among those who created IODs. */
  const creatorIds = async (given: string[]): Promise<string[]> => {
    const ids = new Set(given.filter(name => ID.test(name)).map(id => id.toLowerCase()))
    const names = new Set(given.filter(name => !ID.test(name)).map(name => name.toLowerCase()))
    if (names.size > 0) {
      const creators = new Set<string>()
      for (const part of await all.groups())
        for (const { users } of part.values()) for (const id of users.keys()) creators.add(id)
      for (const [id, name] of await directory.usernames(creators))
        if (names.has(name.toLowerCase())) ids.add(id)
    }
    return [...ids]
  }

  return async ({ q, category, source_type, created_by }) => {
    const [found, users] = await Promise.all([
      q ? search(q) : undefined,
      created_by && creatorIds(created_by),
    ])
    const creators = users?.map(id => new Types.ObjectId(id))
    const match: QueryFilter<IodDoc> = found
      ? found.streams.length === 1
        ? { ...found.streams[0] }
        : { $or: found.streams }
      : {}
    const filter: QueryFilter<IodDoc> = {
      ...match,
      ...(category && { category: anyOf(category) }),
      ...(source_type && { source_type: anyOf(source_type) }),
      ...(creators && { created_by: anyOf(creators) }),
    }
    const counts = q ? searchCounts(q, match) : all
    let counted: Promise<IodFacets> | undefined
    const facets = () => {
      counted ??= counts.groups().then(parts => sumFacets(parts, { category, source_type, users }))
      return counted
    }
    const read = (page: QueryFilter<IodDoc>, size: number, index?: Record<string, 1 | -1>) => {
      const query = model.find(page).sort(BY_DATE).limit(size)
      return (index ? query.hint(index) : query).lean<IodDoc[]>()
    }
    const find: IodQuery['find'] = async (page, size) => {
      if (Object.keys(filter).length === 0) return read(page, size)
      const [{ total }, existing] = await Promise.all([facets(), model.estimatedDocumentCount()])
      if (total === 0) return []
      const streams = found?.streams ?? streamsOf(category, source_type, creators)
      // Documents to look at: from the newest on until the page is full, or those that indexes single out.
      const inOrder = total > size ? (size * existing) / total : existing
      const singledOut = found ? Math.max(total, found.share * existing) : streams.length * size
      if (inOrder < singledOut) return read(page, size, BY_DATE)
      const parts = await Promise.all(
        streams.map(stream => read({ $and: [stream, page] }, size, found && BY_GRAM)),
      )
      return parts.length === 1 ? (parts[0] ?? []) : parts.flat().sort(newestFirst).slice(0, size)
    }
    return { filter, facets, find }
  }
}
