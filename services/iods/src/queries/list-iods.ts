import type { Category, Iod, IodFacets, iodsApi, QueryOf, SourceType } from '@iodine/contracts'
import { sendList, type UserDirectory } from '@iodine/service-kit'
import { type Model, type QueryFilter, Types } from 'mongoose'
import { BY_DATE, BY_GRAM, type IodDoc, type IodModels, type TextDoc } from '../models/iod.js'
import { presentIods } from '../presenters/iod.js'
import { RollingCounts, sumFacets } from './counts.js'
import { createIodSearch } from './search.js'

type Filters = QueryOf<typeof iodsApi.getIodFacets>
type Reply = Parameters<typeof sendList>[0]

export interface IodQueries {
  /** Answers with the list, or a page of it. The cost of a page stays that of its size, not of all that matches. */
  list(reply: Reply, query: QueryOf<typeof iodsApi.listIods>): Promise<unknown>
  /** Exact counts under the filters. */
  facets(filters: Filters): Promise<IodFacets>
}

const ID = /^[0-9a-f]{24}$/i
const KEPT_SEARCHES = 200
const anyOf = <T>(values: T[]) => (values.length === 1 ? values[0] : { $in: values })

interface Listed {
  _id: Types.ObjectId
  created_at: Date
}
const newestFirst = (a: Listed, b: Listed): number =>
  b.created_at.getTime() - a.created_at.getTime() || Buffer.compare(b._id.id, a._id.id)

/** Equality filters, each with an index in list order, that together select what the filters do. */
const streamsOf = (
  categories: Category[] | undefined,
  sourceTypes: SourceType[] | undefined,
  creators: Types.ObjectId[] | undefined,
): QueryFilter<IodDoc>[] => {
  if (creators) return creators.map(created_by => ({ created_by }))
  const ones = categories ? [...new Set(categories)].map(category => ({ category })) : [{}]
  const others = sourceTypes ? [...new Set(sourceTypes)].map(source_type => ({ source_type })) : [{}]
  return ones.flatMap(one => others.map(other => ({ ...one, ...other })))
}

/** The first documents of a page, from the newest on, by one index or by merging what another singles out. */
const findPage = async <D extends Listed>(
  model: Model<D>,
  page: QueryFilter<D>,
  size: number,
  way: 'in order' | { streams: QueryFilter<D>[]; index?: Record<string, 1 | -1> },
): Promise<D[]> => {
  const read = (filter: QueryFilter<D>, index: Record<string, 1 | -1> | undefined) => {
    const query = model.find(filter).sort(BY_DATE).limit(size)
    return (index ? query.hint(index) : query).lean<D[]>()
  }
  if (way === 'in order') return read(page, BY_DATE)
  const parts = await Promise.all(
    way.streams.map(stream => read({ $and: [stream, page] } as QueryFilter<D>, way.index)),
  )
  return parts.length === 1 ? (parts[0] ?? []) : parts.flat().sort(newestFirst).slice(0, size)
}

export const createIodQueries = ({ iods, texts }: IodModels, directory: UserDirectory): IodQueries => {
  const search = createIodSearch(texts)
  const all = new RollingCounts(iods, {})
  const searches = new Map<string, RollingCounts>()

  const searchCounts = (q: string, match: QueryFilter<TextDoc>): RollingCounts => {
    const counts = searches.get(q) ?? new RollingCounts(texts, match)
    // Put last again: the one not asked for the longest goes first.
    searches.delete(q)
    searches.set(q, counts)
    if (searches.size > KEPT_SEARCHES) searches.delete(searches.keys().next().value as string)
    return counts
  }

  /** Ids stand for themselves; names, in any case, are sought among those who created IODs. */
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

  const prepare = async ({ q, category, source_type, created_by }: Filters) => {
    const [found, users] = await Promise.all([
      q ? search(q) : undefined,
      created_by && creatorIds(created_by),
    ])
    const creators = users?.map(id => new Types.ObjectId(id))
    const filter = {
      ...(category && { category: anyOf(category) }),
      ...(source_type && { source_type: anyOf(source_type) }),
      ...(creators && { created_by: anyOf(creators) }),
    }
    const counts = q && found ? searchCounts(q, found.filter) : all
    let counted: Promise<IodFacets> | undefined
    const facets = () => {
      counted ??= counts.groups().then(parts => sumFacets(parts, { category, source_type, users }))
      return counted
    }
    return { found, filter, creators, facets }
  }

  /** The IODs that search found, in the order it found them. */
  const load = async (docs: TextDoc[]): Promise<IodDoc[]> => {
    const loaded = await iods.find({ _id: { $in: docs.map(({ _id }) => _id) } }).lean<IodDoc[]>()
    return loaded.sort(newestFirst)
  }
  const present = (docs: IodDoc[]): Promise<Iod[]> => presentIods(directory, docs)

  return {
    facets: async filters => (await prepare(filters)).facets(),
    async list(reply, { limit, cursor, ...filters }) {
      const { found, filter, creators, facets } = await prepare(filters)
      const total = async () => (await facets()).total
      /** Documents to look at: from the newest on until the page is full. */
      const inOrder = async (size: number) => {
        const [matching, existing] = await Promise.all([total(), iods.estimatedDocumentCount()])
        return { matching, existing, cost: matching > size ? (size * existing) / matching : existing }
      }
      if (found)
        return sendList(reply, {
          model: texts,
          filter: { ...found.filter, ...filter },
          limit,
          cursor,
          total,
          present: async docs => present(await load(docs)),
          find: async (page, size) => {
            const { matching, existing, cost } = await inOrder(size)
            const candidates = Math.max(matching, found.share * existing)
            const way = cost < candidates ? 'in order' : { streams: found.streams, index: BY_GRAM }
            return findPage(texts, page, size, way)
          },
        })
      return sendList(reply, {
        model: iods,
        filter,
        limit,
        cursor,
        total,
        present,
        find: async (page, size) => {
          if (Object.keys(filter).length === 0) return findPage(iods, page, size, 'in order')
          const streams = streamsOf(filters.category, filters.source_type, creators)
          const { cost } = await inOrder(size)
          return findPage(iods, page, size, cost < streams.length * size ? 'in order' : { streams })
        },
      })
    },
  }
}
