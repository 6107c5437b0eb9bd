import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { foldWords, type graphApi, type QueryOf } from '@iodine/contracts'
import { containing, createRarestGram, createSharedReads } from '@iodine/service-kit'
import { Types } from 'mongoose'
import { SUMS_FROM, wantSums } from '../commands/sum-graph.js'
import { DAY_MS, edgesOf, gramsOfFilters } from '../models/edge.js'
import type { NarrativeDoc } from '../models/narrative.js'
import type { Store } from '../store.js'
import { createGraphSum, type Said } from './aggregate-graph.js'
import { type CanonMap, stampOf } from './canon-map.js'
import { readStrongest } from './strongest.js'
import { createWeightedCache } from './weighted-cache.js'

type Filters = Omit<QueryOf<typeof graphApi.getTriplets>, 'user_id'>
/** Half-open interval from `from` to `to`, in milliseconds. */
interface Span {
  from: number
  to: number
}

/** Longer than any folded label: a longer filter matches nothing. */
const FILTER_MAX = 2_000

const startOfDay = (time: number) => Math.floor(time / DAY_MS) * DAY_MS

/**
 * Splits a time range, both ends included, into whole days and the remainder of the first and the last day.
 */
export const splitDays = (start: Date | undefined, end: Date | undefined): { days: Span; rest: Span[] } => {
  const from = start?.getTime() ?? Number.NEGATIVE_INFINITY
  const to = end ? end.getTime() + 1 : Number.POSITIVE_INFINITY
  const days = { from: startOfDay(from + DAY_MS - 1), to: startOfDay(to) }
  if (days.from > days.to) return { days: { from: 0, to: 0 }, rest: from < to ? [{ from, to }] : [] }
  return {
    days,
    rest: [
      { from, to: days.from },
      { from: days.to, to },
    ].filter(span => span.from < span.to),
  }
}

const within = ({ from, to }: Span) => ({
  ...(from !== Number.NEGATIVE_INFINITY && { $gte: new Date(from) }),
  ...(to !== Number.POSITIVE_INFINITY && { $lt: new Date(to) }),
})
const bounded = (field: string, span: Span) => {
  const range = within(span)
  return Object.keys(range).length ? { [field]: range } : {}
}

/** Leading and trailing white space is part of the filter. */
const foldFilter = (filter: string | undefined) => foldWords(filter ?? '')

/** Documents per round trip. */
const BATCH = 5_000
/** Projection of the edge fields that the sum needs. */
const SAID = { _id: 0, src: 1, subject: 1, verb: 1, object: 1, count: 1 } as const satisfies Record<
  keyof Said,
  1
> & { _id: 0 }

/**
 * Reads a user's triplets as a graph, in JSON chunks. The graph is summed from the aggregates, so that the
 * cost follows the selection; under filters by labels it follows the number of edges with the filters' rarest
 * gram. Only the partial first and last day of a time filter are counted from narratives. A node's count is
 * the number of times that its label occurs in the selected triplets (twice in a triplet whose subject is its
 * object); a link's count is the number of its triplets. A canonical graph has the clusters of labels as its nodes;
 * filters by labels select the triplets before.
 */
export const createGraphReader = (store: Store) => {
  const { narratives, edges, sources } = store
  // The ids are hashes: the first edges are a random sample.
  const rarest = createRarestGram(edges, 'grams', { _id: 1 })
  const sumOf = async (
    user_id: Types.ObjectId,
    { limit, canonical: _, ...filters }: Filters,
    map?: Promise<CanonMap>,
  ): Promise<AsyncGenerator<string>> => {
    // Read beside the edges. The empty handlers avoid unhandled rejections when an earlier read fails first.
    const summing = map ? map.then(createGraphSum) : Promise.resolve(createGraphSum())
    summing.catch(() => {})
    const isWhole = map === undefined && limit !== undefined && isUnfiltered(filters)
    if (isWhole) {
      const strongest = await readStrongest(store, user_id, limit)
      if (strongest) return strongest
    }
    let read = 0
    const entity = foldFilter(filters.entity)
    const verb = foldFilter(filters.verb)
    const { days, rest } = splitDays(filters.start_date, filters.end_date)
    const ofSource = filters.source === undefined ? {} : { src: filters.source }
    const grams = gramsOfFilters(entity, verb)
    const all = sources.distinct('src', { user_id }).then(names => (names as string[]).sort())
    // Awaited at the end.
    all.catch(() => {})

    if (entity.length <= FILTER_MAX && verb.length <= FILTER_MAX) {
      if (days.from < days.to) {
        const selected = {
          user_id,
          ...ofSource,
          ...bounded('day', days),
          ...(grams.length > 0 && { grams: await rarest(grams) }),
          ...(verb && { verb_key: containing(verb) }),
          ...(entity && { $or: [{ subject_key: containing(entity) }, { object_key: containing(entity) }] }),
        }
        // The driver's cursor returns whole batches: one promise per edge would double the cost at a million
        // edges.
        const cursor = edges.collection.find<Said>(selected, { projection: SAID, batchSize: BATCH })
        try {
          const begun = cursor.hasNext()
          begun.catch(() => {})
          const sum = await summing
          for (let more = await begun; more; ) {
            const batch = cursor.readBufferedDocuments()
            // Prefetch: the database fills the next batch while this one is summed.
            const next = cursor.hasNext()
            await yieldToEventLoop()
            read += batch.length
            // An edge that counts nothing is removed with the next fold.
            for (const edge of batch) if (edge.count > 0) sum.add(edge)
            more = await next
          }
        } finally {
          await cursor.close()
        }
      }
      for (const span of rest) {
        const sum = await summing
        const selected = narratives
          .find({ user_id, state: 'done', ...ofSource, ...bounded('created_at', span) })
          .select({ text: 0 })
          .lean<NarrativeDoc[]>()
        for await (const narrative of selected.cursor())
          for (const edge of edgesOf(narrative))
            if (
              edge.verb_key.includes(verb) &&
              (edge.subject_key.includes(entity) || edge.object_key.includes(entity))
            )
              sum.add(edge)
      }
    }
    if (isWhole && read > SUMS_FROM) await wantSums(store, user_id)
    return (await summing).json(await all, limit)
  }

  /** There are no sums of clusters: the bounded graph of all that a user has is kept while it is up to date. */
  const kept = createWeightedCache<string[]>(KEPT_CHARS, pieces =>
    pieces.reduce((total, { length }) => total + length, 0),
  )
  const reading = createSharedReads<string, string[]>(PATIENCE_MS)
  return async (userId: string, filters: Filters): Promise<AsyncGenerator<string>> => {
    const user_id = new Types.ObjectId(userId)
    const { limit, canonical, ...others } = filters
    if (canonical !== 'true') return sumOf(user_id, filters)
    if (limit === undefined || !isUnfiltered(others))
      return sumOf(
        user_id,
        filters,
        stampOf(store, user_id).then(now => store.canonReader.readMap(user_id, now)),
      )
    const name = `${userId} ${limit}`
    const pieces = await reading(name, async () => {
      const now = await stampOf(store, user_id)
      const stamp = `${now.version} ${now.texts}`
      const known = kept.get(name, stamp)
      if (known) return known
      const pieces: string[] = []
      const map = store.canonReader.readMap(user_id, now)
      for await (const piece of await sumOf(user_id, filters, map)) pieces.push(piece)
      return kept.put(name, stamp, pieces)
    })
    return streamOf(pieces)
  }
}

async function* streamOf(pieces: readonly string[]): AsyncGenerator<string> {
  yield* pieces
}

const isUnfiltered = (filters: Omit<Filters, 'limit' | 'canonical'>): boolean =>
  Object.values(filters).every(filter => filter === undefined)

/** Characters of kept graphs in a process. */
const KEPT_CHARS = 67_108_864
const PATIENCE_MS = 20_000
