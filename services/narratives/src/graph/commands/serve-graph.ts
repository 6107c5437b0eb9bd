import type { graphApi, QueryOf } from '@iodine/contracts'
import { Types } from 'mongoose'
import { stampOf } from '../../canon/queries/canon-map.js'
import { createStampedReads } from '../../canon/queries/stamped-reads.js'
import type { Store } from '../../store.js'
import { createGraphReader, type Filters } from '../queries/read-graph.js'
import { readStrongest } from '../queries/strongest.js'
import { enqueueSums, foldGraph, SUMS_FROM } from './sum-graph.js'

const isUnfiltered = (filters: Omit<Filters, 'limit'>): boolean =>
  Object.values(filters).every(filter => filter === undefined)

/** Cache size of a process, in characters of canonical graphs. */
const CACHE_CHARS = 67_108_864

async function* streamOf(pieces: readonly string[]): AsyncGenerator<string> {
  yield* pieces
}

/**
 * Creates the function that returns a user's graph in JSON chunks. Bounded reads of the whole graph first fold the
 * sums, then read them. Without sums, they read the edges, and enqueue a build for a large graph.
 */
export const createGraphServer = (store: Store) => {
  const readGraph = createGraphReader(store)
  const wholeOf = async (user_id: Types.ObjectId, limit: number): Promise<AsyncGenerator<string>> => {
    const strongest = (await foldGraph(store, user_id)) && (await readStrongest(store, user_id, limit))
    if (strongest) return strongest
    const { pieces, read } = await readGraph(user_id, { limit })
    if (read > SUMS_FROM) await enqueueSums(store, user_id)
    return pieces
  }

  /** Clusters have no sums, so bounded canonical graphs are cached by stamp. */
  const readCached = createStampedReads<string[]>(store, CACHE_CHARS, pieces =>
    pieces.reduce((total, { length }) => total + length, 0),
  )
  return async (
    userId: string,
    { canonical, ...filters }: Omit<QueryOf<typeof graphApi.getTriplets>, 'user_id'>,
  ): Promise<AsyncGenerator<string>> => {
    const user_id = new Types.ObjectId(userId)
    const { limit, ...others } = filters
    const isWhole = limit !== undefined && isUnfiltered(others)
    if (canonical !== 'true')
      return isWhole ? wholeOf(user_id, limit) : (await readGraph(user_id, filters)).pieces
    if (!isWhole) {
      const map = stampOf(store, user_id).then(now => store.canonReader.readMap(user_id, now))
      return (await readGraph(user_id, filters, map)).pieces
    }
    const pieces = await readCached(`${userId} ${limit}`, user_id, async now => {
      const pieces: string[] = []
      const map = store.canonReader.readMap(user_id, now)
      for await (const piece of (await readGraph(user_id, filters, map)).pieces) pieces.push(piece)
      return pieces
    })
    return streamOf(pieces)
  }
}
