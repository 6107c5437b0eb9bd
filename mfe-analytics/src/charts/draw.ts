import { formatCount, themeColor, truncate } from '@iodine/ui'
import * as Plot from '@observablehq/plot'
import type { Mark } from '../model/chart'
import { inkOf, shadeOf } from './inks'

/** Width in pixels, and the prefix of the ids of patterns in the drawing. */
export interface Frame {
  width: number
  prefix: string
}

export type Drawing = (frame: Frame) => ReturnType<typeof Plot.plot>

const STYLE = { fontSize: '12px' }
const ROW = 24
const NARROW = 480
const DAY_LABEL = 64

const linked = <T extends Mark>() => ({
  href: (mark: T) => mark.to,
  ariaLabel: (mark: T) => mark.text,
  title: (mark: T) => mark.text,
})

const CHARACTER = 7.5
/** Returns the width of the labels of rows, and a function that truncates them to it. */
const rowLabels = (keys: readonly string[], max: number) => {
  const marginLeft = Math.min(max, 16 + CHARACTER * Math.max(...keys.map(key => key.length)))
  return { marginLeft, tickFormat: (key: string) => truncate(key, Math.floor((marginLeft - 12) / CHARACTER)) }
}

/** Returns every n-th key, so that their labels do not overlap. */
const spaced = (keys: readonly string[], width: number): string[] => {
  const step = Math.max(1, Math.ceil((keys.length * DAY_LABEL) / width))
  return keys.filter((_, n) => n % step === 0)
}

const inks = (series: readonly string[], prefix: string) => ({
  domain: [...series],
  range: series.map((_, n) => inkOf(prefix, n)),
  type: 'ordinal' as const,
})

/**
 * Draws stacked bars of days.
 * @param before totals of the period before, in the order of `keys`: a dashed line
 */
export const stackedDays =
  (
    marks: readonly Mark[],
    keys: readonly string[],
    series: readonly string[],
    before: readonly number[] | null,
  ): Drawing =>
  ({ width, prefix }) => {
    const muted = themeColor('muted') || 'gray'
    return Plot.plot({
      width,
      height: 240,
      marginLeft: 48,
      style: STYLE,
      x: { type: 'band', domain: [...keys], label: null, padding: keys.length > 120 ? 0 : 0.15 },
      y: { label: null, grid: true, tickFormat: (n: number) => (Number.isInteger(n) ? formatCount(n) : '') },
      color: inks(series, prefix),
      marks: [
        Plot.axisX({ ticks: spaced(keys, width - 60), tickFormat: (day: string) => day.slice(5) }),
        Plot.barY(marks, Plot.stackY({ x: 'key', y: 'n', fill: 'series', order: [...series], ...linked() })),
        before &&
          Plot.lineY(
            before.slice(0, keys.length).map((n, at) => ({ n, key: keys[at] })),
            { x: 'key', y: 'n', stroke: muted, strokeWidth: 2, strokeDasharray: '4 3' },
          ),
        Plot.ruleY([0]),
      ],
    })
  }

/** Draws horizontal bars; a label at the end of each is its number, or what `label` returns. */
export const bars =
  <T extends Mark>(
    marks: readonly T[],
    series: readonly string[] = [],
    label: (mark: T) => string = mark => formatCount(mark.n),
  ): Drawing =>
  ({ width, prefix }) => {
    const keys = [...new Set(marks.map(({ key }) => key))]
    const { marginLeft, tickFormat } = rowLabels(keys, width < NARROW ? 128 : 176)
    const isStacked = series.length > 1
    const sums = totals(marks, keys).map((n, at) => ({ key: keys[at], n }))
    return Plot.plot({
      width,
      height: keys.length * ROW + 16,
      marginLeft,
      marginRight: isStacked ? 40 : 72,
      marginTop: 4,
      marginBottom: 12,
      style: STYLE,
      x: { axis: null, domain: [0, Math.max(1, ...sums.map(({ n }) => n))] },
      y: {
        domain: keys,
        label: null,
        tickSize: 0,
        tickFormat,
      },
      color: inks(series.length > 0 ? series : [...new Set(marks.map(mark => mark.series))], prefix),
      marks: [
        Plot.barX(
          marks,
          Plot.stackX({ y: 'key', x: 'n', fill: 'series', order: [...series], inset: 1, ...linked<T>() }),
        ),
        Plot.text(isStacked ? sums : marks, {
          y: 'key',
          x: 'n',
          text: isStacked ? ({ n }: Pick<Mark, 'n'>) => formatCount(n) : label,
          textAnchor: 'start',
          dx: 6,
          fill: 'currentColor',
        }),
      ],
    })
  }

const totals = (marks: readonly Mark[], keys: readonly string[]) =>
  keys.map(key => marks.reduce((sum, mark) => sum + (mark.key === key ? mark.n : 0), 0))

export interface CellOptions {
  columns: readonly string[]
  rows: readonly string[]
  /** Whether the numbers are written in the cells. */
  hasNumbers: boolean
  /** Formats labels of columns, by default truncated to their width. An empty text omits one. */
  columnText?: (column: string) => string
}

/** Returns the labels of columns, of which some are omitted so that none overlap. */
const thinned = (columns: readonly string[], columnWidth: number, text: (column: string) => string) => {
  const labelled = columns.filter(column => text(column) !== '')
  const widest = CHARACTER * (1 + Math.max(0, ...labelled.map(column => text(column).length)))
  const step = Math.ceil((widest * labelled.length) / (columnWidth * columns.length))
  return (column: string) => (labelled.indexOf(column) % step === 0 ? text(column) : '')
}

/** Draws a matrix of cells: `series` is the row and `key` the column of a mark. */
export const cells =
  (marks: readonly Mark[], { columns, rows, hasNumbers, columnText }: CellOptions): Drawing =>
  ({ width }) => {
    const most = Math.max(1, ...marks.map(({ n }) => n))
    const { marginLeft, tickFormat } = rowLabels(rows, width < NARROW ? 112 : 240)
    const columnWidth = (width - marginLeft - 20) / columns.length
    const characters = Math.max(2, Math.floor((columnWidth - CHARACTER) / CHARACTER))
    return Plot.plot({
      width,
      height: rows.length * ROW + 40,
      marginLeft,
      marginTop: 28,
      marginBottom: 8,
      style: STYLE,
      x: {
        type: 'band',
        domain: [...columns],
        axis: 'top',
        label: null,
        tickSize: 0,
        tickFormat: columnText
          ? thinned(columns, columnWidth, columnText)
          : (column: string) => truncate(column, characters),
      },
      y: {
        type: 'band',
        domain: [...rows],
        label: null,
        tickSize: 0,
        tickFormat,
      },
      color: { type: 'identity' },
      marks: [
        Plot.cell(marks, {
          x: 'key',
          y: 'series',
          fill: (mark: Mark) => shadeOf(mark.n / most).fill,
          inset: 0.5,
          ...linked(),
        }),
        hasNumbers
          ? Plot.text(marks, {
              x: 'key',
              y: 'series',
              text: (mark: Mark) => formatCount(mark.n),
              fill: (mark: Mark) => shadeOf(mark.n / most).text,
              pointerEvents: 'none',
            })
          : null,
      ],
    })
  }

/** A mark with an interval on a continuous axis. */
export interface RangeMark extends Mark {
  low: number
  high: number
  /** A point inside the interval, drawn as a dot. */
  at: number
}

/** Draws intervals with a dot: of times if `isTime`, else of ratios on a logarithmic axis with a line at 1. */
export const ranges =
  (marks: readonly RangeMark[], isTime: boolean): Drawing =>
  ({ width }) => {
    const accent = themeColor('accent') || 'steelblue'
    const keys = [...new Set(marks.map(({ key }) => key))]
    const { marginLeft, tickFormat } = rowLabels(keys, width < NARROW ? 128 : 240)
    return Plot.plot({
      width,
      height: keys.length * ROW + 40,
      marginLeft,
      marginRight: 24,
      style: STYLE,
      x: {
        type: isTime ? 'utc' : 'log',
        label: null,
        grid: true,
        ticks: width < NARROW ? 3 : 6,
        ...(!isTime && { tickFormat: (ratio: number) => `×${Number(ratio.toPrecision(2))}` }),
      },
      y: {
        domain: keys,
        label: null,
        tickSize: 0,
        tickFormat,
      },
      marks: [
        isTime ? null : Plot.ruleX([1]),
        Plot.ruleY(marks, {
          y: 'key',
          x1: 'low',
          x2: 'high',
          stroke: accent,
          strokeWidth: 6,
          strokeOpacity: 0.35,
        }),
        Plot.dot(marks, { y: 'key', x: 'at', r: 6, fill: accent, ...linked<RangeMark>() }),
      ],
    })
  }
