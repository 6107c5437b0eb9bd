import { type CampaignStatistics, type Category, countVotes, type Iod } from '@iodine/contracts'
import { search } from './search'

export interface Statistics {
  iods: number
  votes: number
  comments: number
  /** Names with their counts, in descending order of count. */
  categories: [Category, number][]
  sources: [string, number][]
}

/** Converts the service's statistics of a campaign for its summary. */
export const readStatistics = ({
  iod_count,
  votes,
  comments,
  categories,
  source_types,
}: CampaignStatistics): Statistics => ({
  iods: iod_count,
  votes,
  comments,
  categories: mostFirst(Object.entries(categories) as [Category, number][]),
  sources: mostFirst(Object.entries(source_types) as [string, number][]),
})

/** Computes statistics of a campaign's IODs for its summary. */
export function summarize(iods: Iod[]): Statistics {
  return {
    iods: iods.length,
    votes: iods.reduce((sum, { votes }) => sum + votes.length, 0),
    comments: iods.reduce((sum, { comments }) => sum + comments.length, 0),
    categories: countBy(iods, ({ category }) => category),
    sources: countBy(iods, ({ source_type }) => source_type),
  }
}

/** Sums the IODs' votes by type. */
export function sumVotes(iods: readonly Iod[]): { positive: number; negative: number } {
  const sums = { positive: 0, negative: 0 }
  for (const iod of iods) {
    const { positive, negative } = countVotes(iod)
    sums.positive += positive
    sums.negative += negative
  }
  return sums
}

const DAY_MS = 86_400_000
/** Maximum number of bars in a campaign's summary. */
const BARS_MAX = 60

/**
 * Counts IODs by creation time: by day (UTC), by month if the days exceed the maximum of bars, by year if the months
 * do. Gaps are filled with 0. Days are as in ISO 8601.
 */
export function overTime(iods: readonly Iod[]): { day: string; values: [number] }[] {
  const times = iods.map(({ created_at }) => created_at).sort()
  const [first, last] = [times[0], times.at(-1)]
  if (!first || !last) return []
  const days = Math.floor((Date.parse(last.slice(0, 10)) - Date.parse(first.slice(0, 10))) / DAY_MS) + 1
  const length = days <= BARS_MAX ? 10 : days <= BARS_MAX * 30 ? 7 : 4
  const counts = new Map<string, number>()
  for (const at = new Date(first.slice(0, 10)); at.toISOString() <= last; at.setUTCDate(at.getUTCDate() + 1))
    counts.set(at.toISOString().slice(0, length), 0)
  for (const time of times) counts.set(time.slice(0, length), (counts.get(time.slice(0, length)) ?? 0) + 1)
  return [...counts].map(([day, count]) => ({ day, values: [count] }))
}

/** Counts items per key, in descending order of count, then by key. */
export function countBy<T, K extends string>(items: T[], key: (item: T) => K): [K, number][] {
  const counts = new Map<K, number>()
  for (const item of items) counts.set(key(item), (counts.get(key(item)) ?? 0) + 1)
  return mostFirst([...counts])
}

/** Sorts numbers per key in descending order, then by key. */
export const mostFirst = <K extends string>(counts: [K, number][]): [K, number][] =>
  counts.sort(([a, many], [b, more]) => more - many || a.localeCompare(b))

/** Returns a campaign's IODs whose value or category contains the text, ignoring case. */
export const searchMembers = (iods: Iod[], text: string): Iod[] => search(iods, text, ['value', 'category'])

/** Returns the IODs of the categories (empty means all) whose value or description contains the text, ignoring case. */
export const searchChoices = (iods: Iod[], text: string, categories: readonly Category[]): Iod[] =>
  search(iods, text, ['value', 'description']).filter(
    ({ category }) => categories.length === 0 || categories.includes(category),
  )
