import type { Iod, IodFacets, IodSort, iodsApi, QueryOf } from '@iodine/contracts'
import {
  afterPosition,
  createSharedAnswers,
  type Peers,
  type RankedPosition,
  type ReplyHeaders,
  type Streamed,
  sendList,
  type Total,
  type UserDirectory,
} from '@iodine/service-kit'
import type { QueryFilter } from 'mongoose'
import type { IodStore } from '../../store.js'
import { BY, type IodDoc, type IodModel, ORDERS } from '../models/iod.js'
import { presentIods } from '../presenters/iod.js'
import { createIodCounts } from './count-iods.js'
import { createIodSelection, indexOf, kindsOf, ofKinds, type Selection } from './select-iods.js'

const RANKS = { created: undefined, votes: 'votes_total', disputed: 'votes_disputed' } as const

type ListQuery = QueryOf<typeof iodsApi.listIods>
type Filters = QueryOf<typeof iodsApi.getIodFacets>

/** Reads documents of a selection in an order, by the index that bounds the selection. */
const read = (iods: IodModel, { by, filter }: Selection, sort: IodSort, limit: number): Promise<IodDoc[]> => {
  const index = indexOf(by, ORDERS[sort])
  return iods
    .find(filter)
    .hint(index as never)
    .sort(ORDERS[sort])
    .limit(limit)
    .batchSize(limit)
    .lean<IodDoc[]>()
}

/** Reads a page. An order by votes takes two queries: the rest of the equal rank, then the lower ranks. */
const findPage = async (
  iods: IodModel,
  selection: Selection,
  sort: IodSort,
  place: RankedPosition | undefined,
  size: number,
): Promise<IodDoc[]> => {
  const rank = RANKS[sort]
  if (!place) return read(iods, selection, sort, size)
  if (!rank || place.rank === undefined)
    return read(iods, { ...selection, filter: afterPosition<IodDoc>(selection.filter, place) }, sort, size)
  const ranked = (condition: number | { $lt: number }): QueryFilter<IodDoc> => ({
    ...selection.filter,
    [rank]: condition,
  })
  const equals = { ...selection, filter: afterPosition<IodDoc>(ranked(place.rank), place) }
  const docs = await read(iods, equals, sort, size)
  if (docs.length === size) return docs
  const below = { ...selection, filter: ranked({ $lt: place.rank }) }
  return [...docs, ...(await read(iods, below, sort, size - docs.length))]
}

/** Creates the queries of the IOD list and of its facets. */
export const createIodQueries = (models: IodStore, directory: UserDirectory, peers: Peers) => {
  const { iods, comments } = models
  const select = createIodSelection(models, directory, peers)
  const counts = createIodCounts(models)
  const shared = createSharedAnswers()

  const readList = async (
    reply: ReplyHeaders,
    { limit, cursor, sort = 'created', ...filters }: ListQuery,
  ): Promise<Iod[] | Streamed<Iod[]>> => {
    const selection = await select(filters)
    let counted: Promise<Total> | undefined
    const total = () => (counted ??= counts.total(selection))
    const rank = RANKS[sort]
    /**
     * Selects the index: the database sorts few matches of a search; it finds many soon in the index of kinds, which
     * has the order.
     */
    const inOrder = async (): Promise<Selection> => {
      const { by } = selection
      const isSorted = by === BY.gram || by === BY.term
      if (!rank || (by && !isSorted)) return selection
      if (isSorted && !(await counts.isUnsortable(selection, await total()))) return selection
      return { filter: { ...selection.filter, ...ofKinds(kindsOf(filters)) }, by: BY.kind }
    }
    return sendList(reply, {
      limit,
      cursor,
      total,
      find: async (place, size) => findPage(iods, await inOrder(), sort, place, size),
      rankOf: rank && (doc => doc[rank]),
      present: async docs => presentIods(directory, docs, await comments.ofSubjects(docs, { latest: true })),
    })
  }

  // All clients receive the same pages and counts, and request them at once when the event of a new IOD arrives.
  return {
    /** Counts the IODs that match the filters. */
    facets: (reply: ReplyHeaders, filters: Filters): Promise<Streamed<IodFacets>> =>
      shared(reply, `facets ${JSON.stringify(filters)}`, async () => counts.facets(await select(filters))),
    /** Returns the list or a page of it. */
    list: async (reply: ReplyHeaders, query: ListQuery): Promise<Iod[] | Streamed<Iod[]>> =>
      query.limit === undefined && query.cursor === undefined
        ? readList(reply, query)
        : (shared(reply, `list ${JSON.stringify(query)}`, headers => readList(headers, query)) as Promise<
            Streamed<Iod[]>
          >),
  }
}
