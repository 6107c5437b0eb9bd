import type { Iod, IodFacets, iodsApi, QueryOf } from '@iodine/contracts'
import {
  type ListPlace,
  type ReplyHeaders,
  type Streamed,
  sendList,
  type UserDirectory,
} from '@iodine/service-kit'
import type { IodDoc, IodModel } from '../models/iod.js'
import { presentIods } from '../presenters/iod.js'
import type { Catalog, Selection } from './catalog.js'
import type { LiveCatalog } from './live-catalog.js'

type Filters = QueryOf<typeof iodsApi.getIodFacets>

const ID = /^[0-9a-f]{24}$/i

const newestFirst = (a: ListPlace, b: ListPlace): number =>
  b.created_at.getTime() - a.created_at.getTime() || Buffer.compare(b._id.id, a._id.id)

export const createIodQueries = (iods: IodModel, live: LiveCatalog, directory: UserDirectory) => {
  /** Resolves ids and usernames to ids. Usernames are compared in any case with those of IOD creators. */
  const creatorIds = async (catalog: Catalog, given: string[]): Promise<string[]> => {
    const ids = new Set(given.filter(name => ID.test(name)).map(id => id.toLowerCase()))
    const names = new Set(given.filter(name => !ID.test(name)).map(name => name.toLowerCase()))
    if (names.size > 0)
      for (const [id, name] of await directory.usernames(catalog.creators()))
        if (names.has(name.toLowerCase())) ids.add(id)
    return [...ids]
  }
  const select = async ({ q, category, source_type, created_by }: Filters): Promise<Selection> => {
    const catalog = await live.current()
    const creators = created_by && (await creatorIds(catalog, created_by))
    return catalog.select({ q, category, source_type, creators })
  }
  const load = async (ids: string[]): Promise<IodDoc[]> =>
    ids.length === 0 ? [] : (await iods.find({ _id: { $in: ids } }).lean<IodDoc[]>()).sort(newestFirst)

  return {
    /** Exact counts under the filters. */
    facets: async (filters: Filters): Promise<IodFacets> => (await select(filters)).facets(),
    /** The list or a page of it. The cost of a page depends on its size, not on the number of matches. */
    async list(
      reply: ReplyHeaders,
      { limit, cursor, ...filters }: QueryOf<typeof iodsApi.listIods>,
    ): Promise<Iod[] | Streamed<Iod[]>> {
      const selection = await select(filters)
      return sendList(reply, {
        limit,
        cursor,
        total: async () => selection.facets().total,
        find: (after, size) =>
          load(
            selection.ids(after && { time: after.created_at.getTime(), id: after._id.toHexString() }, size),
          ),
        present: docs => presentIods(directory, docs),
      })
    },
  }
}
