import {
  AGREEMENTS,
  addDays,
  CATEGORIES,
  dayStarts,
  type IodAnalysis,
  type iodAnalyticsApi,
  LIMITS,
  periodBefore,
  type QueryOf,
  SOURCE_TYPES,
  THIRD_VOTES,
  VALUE_KINDS,
  type ValueAnalysis,
  type VoteAnalysis,
} from '@iodine/contracts'
import { DECIDED_MIN } from '../../iods/policies/agreement.js'
import { partsOf } from '../../iods/policies/terms.js'
import { type IodColumns, KINDS, kindOf } from './iod-columns.js'

export type Query = QueryOf<typeof iodAnalyticsApi.analyzeIods>

/** Rows that filters select. */
export interface Rows {
  columns: IodColumns
  /** Whether IODs of a kind are selected, by its number. */
  kinds: Uint8Array
  /** Number of the only creator; undefined for all. */
  creator: number | undefined
  /** The only rows, in ascending order; undefined for all. */
  members: Uint32Array | undefined
}

/** Returns the kinds that the filters allow, by number. */
export const allowedKinds = ({
  category = [...CATEGORIES],
  source = [...SOURCE_TYPES],
}: Query): Uint8Array => {
  const kinds = new Uint8Array(KINDS)
  for (const each of category) for (const from of source) kinds[kindOf(each, from)] = 1
  return kinds
}

/** Calls `visit` for each selected row created from one time until before another. */
const visitRows = (
  { columns, kinds, creator, members }: Rows,
  from: number,
  until: number,
  visit: (row: number) => void,
): void => {
  const [first, end] = [columns.rowOf(from), columns.rowOf(until)]
  const test = (row: number) => {
    if (kinds[columns.kindAt(row)] === 1 && (creator === undefined || columns.creatorAt(row) === creator))
      visit(row)
  }
  if (!members) for (let row = first; row < end; row++) test(row)
  else for (const row of members) if (row >= first && row < end) test(row)
}

/** Returns the numbers of IODs of each day and kind. */
const countDays = (rows: Rows, starts: readonly number[]): Uint32Array[] =>
  starts.slice(0, -1).map((start, n) => {
    const counts = new Uint32Array(KINDS)
    visitRows(rows, start, starts[n + 1] as number, row => {
      const kind = rows.columns.kindAt(row)
      counts[kind] = (counts[kind] as number) + 1
    })
    return counts
  })

const sum = (numbers: Iterable<number>): number => {
  let total = 0
  for (const n of numbers) total += n
  return total
}

const startsOf = ({ zone }: Query, { from, to }: { from: string; to: string }) => dayStarts(from, to, zone)

/** Counts the IODs of each day by category and source type. */
export const analyzeIods = (rows: Rows, query: Query): IodAnalysis => {
  const days = countDays(rows, startsOf(query, query)).map((counts, n) => {
    const categories: Record<string, number> = {}
    const sources: Record<string, number> = {}
    for (const category of CATEGORIES)
      for (const source of SOURCE_TYPES) {
        const count = counts[kindOf(category, source)] as number
        if (count === 0) continue
        categories[category] = (categories[category] ?? 0) + count
        sources[source] = (sources[source] ?? 0) + count
      }
    return { day: addDays(query.from, n), total: sum(counts), categories, sources }
  })
  const before = query.compare ? countDays(rows, startsOf(query, periodBefore(query))).map(sum) : null
  return {
    total: sum(days.map(({ total }) => total)),
    previous: before && sum(before),
    days,
    days_before: before,
  }
}

/** Returns the first and the last time of a period. */
const boundsOf = (query: Query, period: { from: string; to: string }): [number, number] => {
  const starts = startsOf(query, { from: period.from, to: period.from })
  const ends = startsOf(query, { from: period.to, to: period.to })
  return [starts[0] as number, ends[1] as number]
}

/** Counts the IODs of each term, by the term's number. */
const countTerms = (rows: Rows, [from, until]: [number, number]): Uint32Array => {
  const { columns } = rows
  const counts = new Uint32Array(columns.names.length)
  visitRows(rows, from, until, row => {
    for (const term of columns.termsAt(row)) counts[term] = (counts[term] as number) + 1
  })
  return counts
}

/** Returns the most frequent values of each kind. */
export const analyzeValues = (rows: Rows, query: Query): ValueAnalysis => {
  const { names } = rows.columns
  const counts = countTerms(rows, boundsOf(query, query))
  const before = query.compare ? countTerms(rows, boundsOf(query, periodBefore(query))) : null
  return VALUE_KINDS.map(kind => {
    const found: number[] = []
    for (let term = 1; term < counts.length; term++)
      if (counts[term] !== 0 && names[term]?.startsWith(`${kind} `)) found.push(term)
    const count = (term: number) => counts[term] as number
    found.sort((a, b) => count(b) - count(a) || ((names[a] as string) < (names[b] as string) ? -1 : 1))
    const values = found.slice(0, LIMITS.analyzedValuesMax).map(term => ({
      value: partsOf(names[term] as string).value,
      n: count(term),
      previous: before && (before[term] ?? 0),
    }))
    return { kind, distinct: found.length, values }
  })
}

/** Counts the votes of the IODs of a period. */
const countVotes = (rows: Rows, [from, until]: [number, number]) => {
  const { columns } = rows
  const agreements = new Uint32Array(AGREEMENTS.length)
  const thirds = new Uint32Array(THIRD_VOTES.length)
  let [total, decided, majority] = [0, 0, 0]
  visitRows(rows, from, until, row => {
    total++
    const [agreement, third] = [columns.agreementAt(row), columns.thirdVoteAt(row)]
    agreements[agreement] = (agreements[agreement] as number) + 1
    thirds[third] = (thirds[third] as number) + 1
    const votes = columns.votesAt(row)
    if (votes < DECIDED_MIN) return
    decided += votes
    majority += votes - columns.disputedAt(row)
  })
  return { total, agreements, thirds, majority: decided === 0 ? null : majority / decided }
}

/** Returns the ids of the IODs of a period with the most votes of the smaller side, most first. */
const mostDisputed = (rows: Rows, [from, until]: [number, number]): string[] => {
  const { columns } = rows
  const max = LIMITS.analyzedValuesMax
  // The order of the list: of equal ones the newest first.
  const sorted = (found: number[]) =>
    found.sort((a, b) => columns.disputedAt(b) - columns.disputedAt(a) || b - a).slice(0, max)
  let found: number[] = []
  let least = 1
  visitRows(rows, from, until, row => {
    if (columns.disputedAt(row) < least) return
    found.push(row)
    if (found.length < 20 * max) return
    found = sorted(found)
    least = columns.disputedAt(found.at(-1) as number)
  })
  return sorted(found).map(row => columns.idAt(row))
}

/** Votes of a period; `disputed` has ids. */
export interface CountedVotes extends Omit<VoteAnalysis, 'disputed'> {
  disputed: string[]
}

/** Counts IODs by agreement and by the time to the third vote, and selects the most disputed ones. */
export const analyzeVotes = (rows: Rows, query: Query): CountedVotes => {
  const bounds = boundsOf(query, query)
  const now = countVotes(rows, bounds)
  const before = query.compare ? countVotes(rows, boundsOf(query, periodBefore(query))) : null
  return {
    total: now.total,
    previous: before?.total ?? null,
    agreements: AGREEMENTS.map((agreement, n) => ({
      agreement,
      n: now.agreements[n] as number,
      previous: before && (before.agreements[n] as number),
    })),
    third_votes: THIRD_VOTES.map((third_vote, n) => ({
      third_vote,
      n: now.thirds[n] as number,
      previous: before && (before.thirds[n] as number),
    })),
    majority: now.majority,
    majority_before: before?.majority ?? null,
    disputed: mostDisputed(rows, bounds),
  }
}
