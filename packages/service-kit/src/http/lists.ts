import { setImmediate } from 'node:timers/promises'
import { type IndexDefinition, type Model, type QueryFilter, Types } from 'mongoose'
import pLimit from 'p-limit'
import { invalid } from './errors.js'
import { type ReplyHeaders, Streamed } from './streamed.js'

/** Sort key of lists: newest first, then by id. */
export interface ListPosition {
  _id: Types.ObjectId
  created_at: Date
}

/** Sort key of lists that are sorted by a number first, highest first. */
export interface RankedPosition extends ListPosition {
  rank?: number
}

const cursorAfter = ({ rank, created_at, _id }: RankedPosition): string =>
  Buffer.from(
    [...(rank === undefined ? [] : [rank]), created_at.getTime(), _id.toHexString()].join('.'),
  ).toString('base64url')

/** @param isRanked whether the list is sorted by a rank: a cursor of another order is refused, by 422 */
const decodeCursor = (cursor: string, isRanked = false): RankedPosition => {
  const text = Buffer.from(cursor, 'base64url').toString('latin1')
  const match = /^(?:(\d{1,9})\.)?(\d{1,15})\.([0-9a-f]{24})$/.exec(text)
  if (!match || (match[1] !== undefined) !== isRanked) throw invalid(['cursor: is malformed'])
  const place = { created_at: new Date(Number(match[2])), _id: new Types.ObjectId(match[3]) }
  return isRanked ? { ...place, rank: Number(match[1]) } : place
}

/** Restricts `filter` to documents after a position in the list; unchanged without one. */
export const afterPosition = <D>(filter: QueryFilter<D>, place: ListPosition | undefined): QueryFilter<D> =>
  (place
    ? {
        $and: [
          filter,
          { created_at: { $lte: place.created_at } },
          { $or: [{ created_at: { $lt: place.created_at } }, { _id: { $lt: place._id } }] },
        ],
      }
    : filter) as QueryFilter<D>

/** Restricts `filter` to documents after a cursor; unchanged without one. Throws 422. */
export const pageAfter = <D>(filter: QueryFilter<D>, cursor: string | undefined): QueryFilter<D> =>
  afterPosition(filter, cursor === undefined ? undefined : decodeCursor(cursor))

const rankIn = <D>(doc: D, rankOf: ((doc: D) => number) | undefined) => rankOf && { rank: rankOf(doc) }

/**
 * Cuts documents that were read with limit `size` + 1 to a page of `size`, and makes the cursor of the next
 * page.
 */
export const cutPage = <D extends { _id: Types.ObjectId; created_at: Date | null }>(
  docs: D[],
  size: number,
  rankOf?: (doc: D) => number,
): { shown: D[]; next: string | undefined } => {
  const shown = docs.slice(0, size)
  const last = shown.at(-1)
  const next =
    docs.length > size && last?.created_at
      ? cursorAfter({ ...rankIn(last, rankOf), _id: last._id, created_at: last.created_at })
      : undefined
  return { shown, next }
}

const BATCH = 500

/** Reads up to `size` documents of a list, from its start or after a position. */
type Find<D> = (after: RankedPosition | undefined, size: number) => Promise<D[]>

/** Number of documents in a list, or a lower bound of it. */
export type Total = number | { atLeast: number }

interface AnyListOptions<D, T> {
  limit: number | undefined
  cursor: string | undefined
  /** Maps documents to the answer's items, in order; called once per batch. */
  present: (docs: D[]) => Promise<T[]> | T[]
}

/** Either a model and a filter, or a custom `find` with its total. */
export type ListOptions<D extends ListPosition, T> = AnyListOptions<D, T> &
  (
    | {
        /** Needs an index ending in (created_at, _id). */
        model: Model<D>
        filter: QueryFilter<D>
        /** The index to be used. Absent: the database chooses. */
        hint?: IndexDefinition
        /** Number of matching documents, if known without counting. */
        total?: () => Promise<number>
      }
    | {
        find: Find<D>
        total: () => Promise<Total>
        /** The number by which the list is sorted before the date. */
        rankOf?: ((doc: D) => number) | undefined
      }
  )

const SORT = { created_at: -1, _id: -1 } as const

const hintOf = ({ hint }: { hint?: IndexDefinition }) => (hint ? { hint } : {})

/** Finds a page by one plain query. */
const findIn =
  <D extends ListPosition>(
    model: Model<D>,
    filter: QueryFilter<D>,
    hinted: { hint?: IndexDefinition },
  ): Find<D> =>
  (place, size) =>
    model.find(afterPosition(filter, place), null, hinted).sort(SORT).limit(size).lean<D[]>()

/**
 * Answers a list by the contract: with `limit` or `cursor` a page with `X-Total-Count` and, unless it is the
 * last, `X-Next-Cursor`; with neither the whole list, streamed in batches.
 */
export const sendList = async <D extends ListPosition, T>(
  reply: ReplyHeaders,
  options: ListOptions<D, T>,
): Promise<T[] | Streamed<T[]>> => {
  const { limit, cursor, present } = options
  if (limit === undefined && cursor === undefined) {
    const batches =
      'find' in options
        ? findBatches(options.find, options.rankOf)
        : readBatches<D>(
            options.model
              .find(options.filter, null, hintOf(options))
              .sort(SORT)
              .lean<D[]>()
              .cursor({ batchSize: BATCH }),
          )
    return jsonArray(batches, present)
  }
  const size = limit ?? 100
  const find = 'find' in options ? options.find : findIn(options.model, options.filter, hintOf(options))
  const rankOf = 'find' in options ? options.rankOf : undefined
  const [docs, total] = await Promise.all([
    find(cursor === undefined ? undefined : decodeCursor(cursor, rankOf !== undefined), size + 1),
    'find' in options || options.total
      ? (options.total as () => Promise<Total>)()
      : options.model.countDocuments(options.filter, hintOf(options) as object),
  ])
  reply.header('x-total-count', String(typeof total === 'number' ? total : total.atLeast))
  if (typeof total !== 'number') reply.header('x-total-relation', 'gte')
  const { shown, next } = cutPage(docs, size, rankOf)
  if (next) reply.header('x-next-cursor', next)
  return present(shown)
}

async function* findBatches<D extends ListPosition>(
  find: Find<D>,
  rankOf?: (doc: D) => number,
): AsyncGenerator<D[]> {
  for (let after: RankedPosition | undefined; ; ) {
    const docs = await find(after, BATCH)
    const last = docs.at(-1)
    if (!last) return
    yield docs
    if (docs.length < BATCH) return
    after = { ...rankIn(last, rankOf), _id: last._id, created_at: last.created_at }
  }
}

/** Yields documents in batches. */
export async function* readBatches<D>(docs: AsyncIterable<unknown>): AsyncGenerator<D[]> {
  let batch: D[] = []
  for await (const doc of docs) {
    if (batch.push(doc as D) < BATCH) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}

/** Characters per chunk: bounds the time that the event loop is blocked. */
const CHUNK = 65_536

/** One slot for the batches of whole-list streams, so that other requests run between two batches. */
const batchSlot = pLimit(1)
const inSlot = <T>(work: () => Promise<T>): Promise<T> =>
  batchSlot(async () => {
    await setImmediate()
    return work()
  })

/** Streams a JSON array of the results of `present`, in chunks. */
export const jsonArray = <D, T>(
  batches: AsyncIterable<D[]>,
  present: (docs: D[]) => Promise<T[]> | T[],
): Streamed<T[]> => new Streamed(arrayPieces(batches, present))

async function* arrayPieces<D>(
  batches: AsyncIterable<D[]>,
  present: (docs: D[]) => Promise<unknown[]> | unknown[],
): AsyncGenerator<string> {
  const reader = batches[Symbol.asyncIterator]()
  const read = async () => {
    const { done, value } = await reader.next()
    return done ? undefined : present(value)
  }
  let separator = '['
  try {
    for (let items = await inSlot(read); items; items = await inSlot(read)) {
      let piece = ''
      for (const item of items) {
        piece += separator + JSON.stringify(item)
        separator = ','
        if (piece.length < CHUNK) continue
        yield piece
        piece = ''
        await setImmediate()
      }
      if (piece) yield piece
    }
    yield separator === '[' ? '[]' : ']'
  } finally {
    await reader.return?.()
  }
}
