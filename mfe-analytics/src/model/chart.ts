import type { AppPath } from '@iodine/contracts'
import { type Cell, writeCsv } from '@iodine/exchange/spreadsheet'
import { formatCount } from '@iodine/ui'

/** A counted item of a chart: a bar, a cell or a dot, with the page that lists what it counts. */
export interface Mark {
  /** Value on the axis of categories, such as a day or a domain. */
  key: string
  /** Name of its series; one for charts without series. */
  series: string
  n: number
  /** The accessible name, such as '2026-11-28, URL: 3 IODs'. */
  text: string
  to: AppPath
}

/** The numbers of a chart, shown as a table and saved as CSV. */
export interface Numbers {
  columns: readonly string[]
  rows: readonly (readonly Cell[])[]
}

/** Returns the numbers as CSV; cells that a spreadsheet would run as formulas are text. */
export const numbersCsv = ({ columns, rows }: Numbers): string => writeCsv(columns, rows)

/** Returns a table with a row per key and a column per series; missing marks are 0. */
export function pivot(
  marks: readonly Mark[],
  key: string,
  keys: readonly string[],
  series: readonly string[],
): Numbers {
  const counts = new Map(marks.map(mark => [JSON.stringify([mark.key, mark.series]), mark.n]))
  return {
    columns: [key, ...series],
    rows: keys.map(each => [each, ...series.map(name => counts.get(JSON.stringify([each, name])) ?? 0)]),
  }
}

/** Describes the change against the period before: '+2', '−3', '±0'; empty without comparison. */
export const changeText = (n: number, previous: number | null): string => {
  if (previous === null) return ''
  const change = n - previous
  return change === 0 ? '±0' : `${change > 0 ? '+' : '−'}${formatCount(Math.abs(change))}`
}

/** Series that are drawn separately; the rest is one series. */
const SERIES_MAX = 6
export const OTHERS = 'Others'

/** Returns the names with the largest counts, largest first, and the names of the rest. */
export function largestSeries(counts: readonly Partial<Record<string, number>>[]): {
  shown: string[]
  rest: string[]
} {
  const sums = new Map<string, number>()
  for (const each of counts)
    for (const [name, n = 0] of Object.entries(each)) sums.set(name, (sums.get(name) ?? 0) + n)
  const names = [...sums].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).map(([name]) => name)
  return names.length <= SERIES_MAX + 1
    ? { shown: names, rest: [] }
    : { shown: names.slice(0, SERIES_MAX), rest: names.slice(SERIES_MAX) }
}

/** Returns the names, each once: a number follows repeated ones, for example 'Lake (2)'. */
export const uniqueNames = (names: readonly string[]): string[] => {
  const seen = new Map<string, number>()
  return names.map(name => {
    const n = (seen.get(name) ?? 0) + 1
    seen.set(name, n)
    return n === 1 ? name : `${name} (${n})`
  })
}
