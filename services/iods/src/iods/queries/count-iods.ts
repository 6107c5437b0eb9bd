import type { Category, IodFacets, SourceType } from '@iodine/contracts'
import { createSharedReads, type Total } from '@iodine/service-kit'
import type { ClientSession, PipelineStage } from 'mongoose'
import type { IodModels } from '../../models.js'
import { BY_DATE } from '../models/iod.js'
import { indexOf, type Selection } from './select-iods.js'

/** Matches are counted up to this number; above, a count is a lower bound. */
const COUNTED_MAX = 1_000
/** Up to this many matches of a search are sorted; an ordered index finds a page of more sooner. */
const SORTED_MAX = 10_000

interface KindCount {
  category: Category
  source_type: SourceType
  n: number
}
type Models = Pick<IodModels, 'iods' | 'tallies'>

/** Returns the stages that group by kind and sum `n`. */
const byKind = (n: 1 | '$n'): PipelineStage[] => [
  { $group: { _id: { category: '$category', source_type: '$source_type' }, n: { $sum: n } } },
  { $project: { _id: 0, category: '$_id.category', source_type: '$_id.source_type', n: 1 } },
]

/** Counts all IODs by kind. */
export const sumTallies = (
  tallies: Models['tallies'],
  session: ClientSession | null = null,
): Promise<KindCount[]> => tallies.aggregate<KindCount>(byKind('$n')).session(session)

/** Creates the counts of filtered IODs. */
export const createIodCounts = ({ iods, tallies }: Models) => {
  const shared = createSharedReads<'tallies', KindCount[]>()

  /** Counts by kind: from the tallies if the selection is all IODs of some kinds, else its newest IODs. */
  const countKinds = async ({ filter, by, kinds }: Selection): Promise<KindCount[]> => {
    if (!kinds)
      return iods
        .aggregate<KindCount>([{ $match: filter }, { $limit: COUNTED_MAX + 1 }, ...byKind(1)])
        .hint(indexOf(by, BY_DATE) as never)
    return (await shared('tallies', () => sumTallies(tallies))).filter(
      ({ category, source_type }) =>
        kinds.category.includes(category) && kinds.source_type.includes(source_type),
    )
  }

  /** Counts the selected IODs by category and by source type. */
  const facets = async (selection: Selection): Promise<IodFacets> => {
    const facets: IodFacets = { total: 0, categories: {}, source_types: {} }
    for (const { category, source_type, n } of await countKinds(selection)) {
      if (n === 0) continue
      facets.total += n
      facets.categories[category] = (facets.categories[category] ?? 0) + n
      facets.source_types[source_type] = (facets.source_types[source_type] ?? 0) + n
    }
    if (selection.kinds || facets.total <= COUNTED_MAX) return facets
    return { ...facets, total: COUNTED_MAX, exact: false }
  }

  /** Counts the selected IODs; undefined for more than `max`. */
  const countTo = async ({ filter, by }: Selection, max: number): Promise<number | undefined> => {
    const n = await iods
      .countDocuments(filter)
      .hint(indexOf(by, BY_DATE) as never)
      .limit(max + 1)
    return n > max ? undefined : n
  }

  /** Counts the selected IODs. */
  const total = async (selection: Selection): Promise<Total> => {
    if (selection.kinds) return (await facets(selection)).total
    return (await countTo(selection, COUNTED_MAX)) ?? { atLeast: COUNTED_MAX }
  }

  /** Returns whether a search has too many matches to sort them. `counted` is its `total`. */
  const isUnsortable = async (selection: Selection, counted: Total): Promise<boolean> =>
    typeof counted !== 'number' &&
    (selection.isFrequent || (await countTo(selection, SORTED_MAX)) === undefined)

  return { facets, total, isUnsortable }
}
