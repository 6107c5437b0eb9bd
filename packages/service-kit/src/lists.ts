import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import { type Model, type QueryFilter, Types } from 'mongoose'
import { invalid } from './errors.js'

/** What lists are sorted by: newest first, ids breaking ties. */
interface Listed {
  _id: Types.ObjectId
  created_at: Date
}

const encodeCursor = (doc: Listed): string =>
  Buffer.from(`${doc.created_at.getTime()}.${doc._id.toHexString()}`).toString('base64url')

const decodeCursor = (cursor: string): { created_at: Date; _id: Types.ObjectId } => {
  const match = /^(\d{1,15})\.([0-9a-f]{24})$/.exec(Buffer.from(cursor, 'base64url').toString('latin1'))
  if (!match) throw invalid('cursor: is not one of ours')
  return { created_at: new Date(Number(match[1])), _id: new Types.ObjectId(match[2]) }
}

const BATCH = 500

export interface ListOptions<D extends Listed> {
  model: Model<D>
  filter: QueryFilter<D>
  limit: number | undefined
  cursor: string | undefined
  /** Documents to what the client sees, in order; called a batch at a time. */
  present: (docs: D[]) => Promise<unknown[]> | unknown[]
  /** Number of documents that match, where it is known without counting. */
  total?: () => Promise<number>
  /** Finds the first `size` documents of a page's filter, where one plain query is not the best way. */
  find?: (page: QueryFilter<D>, size: number) => Promise<D[]>
}

/**
 * Answers a list by the contract: with `limit` or `cursor` a page with `X-Total-Count` and, where there is more,
 * `X-Next-Cursor`; with neither the whole list, streamed a batch at a time. Needs an index ending in (created_at, _id).
 */
export const sendList = async <D extends Listed>(
  reply: FastifyReply,
  options: ListOptions<D>,
): Promise<unknown> => {
  const { model, filter, limit, cursor, present } = options
  const sort = { created_at: -1, _id: -1 } as const
  if (limit === undefined && cursor === undefined) {
    const docs = model.find(filter).sort(sort).lean<D[]>().cursor({ batchSize: BATCH })
    return reply
      .type('application/json; charset=utf-8')
      .send(Readable.from(jsonArray(docs as AsyncIterable<D>, present)))
  }
  const size = limit ?? 100
  const after = cursor === undefined ? undefined : decodeCursor(cursor)
  const page = (
    after
      ? {
          $and: [
            filter,
            { created_at: { $lte: after.created_at } },
            { $or: [{ created_at: { $lt: after.created_at } }, { _id: { $lt: after._id } }] },
          ],
        }
      : filter
  ) as QueryFilter<D>
  const [docs, total] = await Promise.all([
    options.find
      ? options.find(page, size + 1)
      : model
          .find(page)
          .sort(sort)
          .limit(size + 1)
          .lean<D[]>(),
    options.total ? options.total() : model.countDocuments(filter),
  ])
  reply.header('x-total-count', String(total))
  const shown = docs.slice(0, size)
  const last = shown.at(-1)
  if (docs.length > size && last) reply.header('x-next-cursor', encodeCursor(last))
  return present(shown)
}

async function* jsonArray<D>(docs: AsyncIterable<D>, present: (docs: D[]) => Promise<unknown[]> | unknown[]) {
  let batch: D[] = []
  let separator = '['
  const flush = async () => {
    const texts = (await present(batch)).map(item => JSON.stringify(item))
    batch = []
    const chunk = separator + texts.join(',')
    separator = ','
    return chunk
  }
  for await (const doc of docs) if (batch.push(doc) === BATCH) yield await flush()
  if (batch.length) yield await flush()
  yield separator === '[' ? '[]' : ']'
}
