import { foldWords, type graphApi, type QueryOf } from '@iodine/contracts'
import { containing, createRarestGram } from '@iodine/service-kit'
import type { Types } from 'mongoose'
import { batchesOf } from '../../batches-of.js'
import type { CanonMap } from '../../canon/queries/canon-map.js'
import type { NarrativeModels } from '../../models.js'
import { DAY_MS, edgesOf, gramsOfFilters } from '../models/edge.js'
import { createGraphSum, type EdgeCount } from './aggregate-graph.js'

export type Filters = Omit<QueryOf<typeof graphApi.getTriplets>, 'user_id' | 'canonical'>
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
const EDGE_FIELDS = { _id: 0, src: 1, subject: 1, verb: 1, object: 1, count: 1 } as const satisfies Record<
  keyof EdgeCount,
  1
> & { _id: 0 }

/** A graph in JSON chunks, and the number of edges that were read for it. */
interface ReadGraph {
  pieces: AsyncGenerator<string>
  read: number
}

/**
 * Creates the reader of users' graphs.
 * - The graph is summed from the edges, so that the cost is proportional to the selected edges. With filters by labels,
 *   it is proportional to the edges with the filters' rarest gram.
 * - Only the partial first and last day of a time filter are counted from narratives.
 * - A node's count is the number of occurrences of its label in the selected triplets: two in a triplet whose subject
 *   is its object. A link's count is the number of its triplets.
 * - In a canonical graph, the nodes are clusters of labels. Filters by labels select the triplets before clustering.
 */
export const createGraphReader = ({
  narratives,
  edges,
  sources,
}: Pick<NarrativeModels, 'narratives' | 'edges' | 'sources'>) => {
  // The ids are hashes: the first edges are a random sample.
  const rarest = createRarestGram(edges, 'grams', { _id: 1 })
  return async (
    user_id: Types.ObjectId,
    { limit, ...filters }: Filters,
    map?: Promise<CanonMap>,
  ): Promise<ReadGraph> => {
    // Concurrent with the edges. The empty handlers avoid unhandled rejections if another read fails first.
    const summing = map ? map.then(createGraphSum) : Promise.resolve(createGraphSum())
    summing.catch(() => {})
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
          ...(grams.length > 0 && { grams: (await rarest(grams)).gram }),
          ...(verb && { verb_key: containing(verb) }),
          ...(entity && { $or: [{ subject_key: containing(entity) }, { object_key: containing(entity) }] }),
        }
        // The driver's cursor returns whole batches.
        const cursor = edges.collection.find<EdgeCount>(selected, {
          projection: EDGE_FIELDS,
          batchSize: BATCH,
        })
        for await (const batch of batchesOf(cursor)) {
          // Awaited here, so that the first batch is read meanwhile.
          const sum = await summing
          read += batch.length
          // The next fold removes edges with a zero count.
          for (const edge of batch) if (edge.count > 0) sum.add(edge)
        }
      }
      for (const span of rest) {
        const sum = await summing
        const selected = narratives
          .find({ user_id, state: 'done', ...ofSource, ...bounded('created_at', span) })
          .select({ text: 0 })
          .lean()
        for await (const narrative of selected.cursor())
          for (const edge of edgesOf(narrative))
            if (
              edge.verb_key.includes(verb) &&
              (edge.subject_key.includes(entity) || edge.object_key.includes(entity))
            )
              sum.add(edge)
      }
    }
    return { pieces: (await summing).json(await all, limit), read }
  }
}
