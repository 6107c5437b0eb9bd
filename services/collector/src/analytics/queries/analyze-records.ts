import {
  addDays,
  compareText,
  dayStarts,
  LIMITS,
  NOVELTIES,
  offsetOf,
  POST_AGES,
  periodBefore,
  type QueryOf,
  REACHES,
  type RecordAnalysis,
  type recordAnalyticsApi,
  type Source,
} from '@iodine/contracts'
import { ageOf, reachClass } from '../../records/policies/classes.js'
import type { AnalyzedRecord } from './read-facts.js'

export type Query = QueryOf<typeof recordAnalyticsApi.analyzeRecords>

const DAY_MS = 24 * 3_600_000

interface Mark {
  n: number
  sources: Partial<Record<Source, number>>
}

/** Counts records by a key, and by source. */
class Marks {
  readonly #marks = new Map<string, Mark>()
  add(key: string, source: Source): void {
    const mark = this.#marks.get(key) ?? { n: 0, sources: {} }
    this.#marks.set(key, mark)
    mark.n++
    mark.sources[source] = (mark.sources[source] ?? 0) + 1
  }
  get(key: string): Mark {
    return this.#marks.get(key) ?? { n: 0, sources: {} }
  }
  get all(): [string, Mark][] {
    return [...this.#marks]
  }
}

/** Returns a function of a time: its milliseconds of local time. Offsets are computed once a day without a change. */
const createLocal = (zone: string) => {
  const days = new Map<number, number | undefined>()
  const constantOffset = (day: number): number | undefined => {
    const [start, end] = [offsetOf(day * DAY_MS, zone), offsetOf((day + 1) * DAY_MS, zone)]
    return start === end ? start : undefined
  }
  return (time: number): number => {
    const day = Math.floor(time / DAY_MS)
    if (!days.has(day)) days.set(day, constantOffset(day))
    return time + (days.get(day) ?? offsetOf(time, zone))
  }
}

const VALUES = {
  accounts: 'account',
  hashtags: 'hashtags',
  domains: 'domains',
  languages: 'language',
} as const
const VALUE_NAMES = Object.keys(VALUES) as (keyof typeof VALUES)[]

/** Counts the values of records by name. */
const countValues = (records: readonly AnalyzedRecord[]): Record<keyof typeof VALUES, Marks> => {
  const counts = {
    accounts: new Marks(),
    hashtags: new Marks(),
    domains: new Marks(),
    languages: new Marks(),
  }
  for (const record of records)
    for (const name of VALUE_NAMES)
      for (const value of [record[VALUES[name]] ?? []].flat()) counts[name].add(value, record.source)
  return counts
}

const hoursOf = (records: readonly AnalyzedRecord[], zone: string): RecordAnalysis['hours'] => {
  const local = createLocal(zone)
  const cells = new Marks()
  for (const { source, posted_at } of records) {
    if (posted_at === undefined) continue
    const posted = new Date(local(posted_at))
    cells.add(`${(posted.getUTCDay() + 6) % 7} ${posted.getUTCHours()}`, source)
  }
  return cells.all
    .map(([key, mark]) => {
      const [weekday = 0, hour = 0] = key.split(' ').map(Number)
      return { weekday, hour, ...mark }
    })
    .sort((a, b) => a.weekday - b.weekday || a.hour - b.hour)
}

const reachOf = (records: readonly AnalyzedRecord[]): RecordAnalysis['reach'] => {
  const platforms = new Map<string, { source: Source; total: number; classes: Marks }>()
  for (const { source, platform, reach } of records) {
    if (reach === undefined) continue
    // A post's platform may have the name of a source.
    const key = `${source} ${platform}`
    const found = platforms.get(key) ?? { source, total: 0, classes: new Marks() }
    platforms.set(key, found)
    found.total++
    found.classes.add(reachClass(reach), source)
  }
  return [...platforms]
    .sort(([a, one], [b, other]) => other.total - one.total || compareText(a, b))
    .slice(0, LIMITS.analyzedValuesMax)
    .map(([key, { source, classes }]) => ({
      platform: key.slice(source.length + 1),
      source,
      classes: REACHES.map(reach => ({ reach, n: classes.get(reach).n })).filter(({ n }) => n > 0),
    }))
}

/** Returns the number of days that begin at or before a time, of sorted starts. */
const dayOf = (starts: readonly number[], time: number): number => {
  let [from, to] = [0, starts.length]
  while (from < to) {
    const middle = (from + to) >>> 1
    if ((starts[middle] as number) <= time) from = middle + 1
    else to = middle
  }
  return from - 1
}

const countDays = (records: readonly AnalyzedRecord[], starts: readonly number[]): Marks => {
  const days = new Marks()
  for (const { source, created_at } of records) days.add(String(dayOf(starts, created_at)), source)
  return days
}

/** Returns the days of a query's period, and those of the period before if it compares. */
export const startsOf = (query: Query): { starts: number[]; before: number[] | null } => {
  const { zone, compare } = query
  const { from, to } = periodBefore(query)
  return { starts: dayStarts(query.from, query.to, zone), before: compare ? dayStarts(from, to, zone) : null }
}

/** Analyzes a user's records of a period, beside those of the period before. */
export const analyzeRecords = (
  query: Query,
  records: readonly AnalyzedRecord[],
  before: readonly AnalyzedRecord[] | null,
): RecordAnalysis => {
  const { starts, before: startsBefore } = startsOf(query)
  const days = countDays(records, starts)
  const daysBefore = before && startsBefore && countDays(before, startsBefore)
  const values = countValues(records)
  const valuesBefore = before && countValues(before)
  const top = (name: keyof typeof VALUES) =>
    values[name].all
      .sort(([a, one], [b, other]) => other.n - one.n || compareText(a, b))
      .slice(0, LIMITS.analyzedValuesMax)
      .map(([value, mark]) => ({
        value,
        ...mark,
        previous: valuesBefore?.[name].get(value).n ?? null,
      }))
  const ages = new Marks()
  const novelties = new Marks()
  for (const { source, created_at, posted_at, novelty = 'pending' } of records) {
    ages.add(ageOf(created_at, posted_at), source)
    novelties.add(novelty, source)
  }
  return {
    total: records.length,
    previous: before?.length ?? null,
    days: starts.slice(0, -1).map((_, n) => {
      const { n: total, sources } = days.get(String(n))
      return { day: addDays(query.from, n), total, sources }
    }),
    days_before:
      (daysBefore && startsBefore?.slice(0, -1).map((_, n) => daysBefore.get(String(n)).n)) ?? null,
    hours: hoursOf(records, query.zone),
    accounts: top('accounts'),
    hashtags: top('hashtags'),
    domains: top('domains'),
    languages: top('languages'),
    ages: POST_AGES.map(age => ({ age, ...ages.get(age) })),
    novelties: NOVELTIES.map(novelty => ({ novelty, ...novelties.get(novelty) })),
    reach: reachOf(records),
  }
}
