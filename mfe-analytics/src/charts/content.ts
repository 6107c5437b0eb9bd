import { formatCount } from '@iodine/ui'
import { type Mark, pivot } from '../model/chart'
import type { ChartsProps } from '../model/controls'
import type { RankedMark } from '../model/indicators'
import type { ChartContent } from './Chart'
import { bars, stackedDays } from './draw'

const BEFORE = 'Period before'

/** Returns the content of a ranking. */
export const rankingContent = (key: string, marks: readonly RankedMark[]): ChartContent | null =>
  marks.some(({ n }) => n > 0)
    ? {
        drawing: bars(marks, [], ({ n, change }: Mark & { change?: string }) =>
          [formatCount(n), change && `(${change})`].filter(Boolean).join(' '),
        ),
        numbers: {
          columns: [key, 'Number', 'Change'],
          rows: marks.map(mark => [mark.key, mark.n, mark.change]),
        },
      }
    : null

/** Returns the content of a chart of days; `before`: totals of the period before. */
export const daysContent = (
  marks: readonly Mark[],
  keys: readonly string[],
  series: readonly string[],
  before: readonly number[] | null,
  onChange: ChartsProps['onChange'],
): ChartContent => {
  const { columns, rows } = pivot(marks, 'Day', keys, series)
  return {
    drawing: stackedDays(marks, keys, series, before),
    series,
    ...(before && { line: BEFORE }),
    numbers: before
      ? { columns: [...columns, BEFORE], rows: rows.map((row, n) => [...row, before[n] ?? 0]) }
      : { columns, rows },
    onBrush: (from, to) => onChange({ days: null, from, to }),
  }
}
