import type { Match, SightingEdge } from '@iodine/contracts'
import {
  type ScaleTime,
  type SymbolType,
  scaleUtc,
  symbol,
  symbolCircle,
  symbolCross,
  symbolDiamond,
  symbolSquare,
  symbolStar,
  symbolTriangle,
  symbolWye,
  utcFormat,
} from 'd3'
import type { Mark, Span, Timeline } from './timeline'

export interface Palette {
  own: string
  shared: string
  selected: string
  line: string
  stripe: string
  ground: string
  text: string
  muted: string
  font: string
}

/** The visible part of the timeline. Lengths are in CSS pixels. */
export interface View {
  width: number
  height: number
  /** Width of the column of account names. */
  gutter: number
  span: Span
  /** Scroll offset of the lanes. */
  scroll: number
  /** Index of a mark; -1 for none. */
  selected: number
  hovered: number
}

export const LANE_HEIGHT = 28
/** Height of the time axis above the lanes. */
export const AXIS_HEIGHT = 28
const SIZE = 90
/** Maximum distance of the pointer from a mark that counts as a hit, in pixels. */
const REACH = 12
/** Free space at both ends of the lanes, in pixels. */
const PADDING = 16
/** Maximum number of lines between occurrences. Lines of the selected occurrence are always drawn. */
const LINES_MAX = 400

/** An upside-down triangle. */
const symbolTip: SymbolType = {
  draw(path, size) {
    const y = Math.sqrt(size / (Math.sqrt(3) * 3))
    path.moveTo(0, y * 2)
    path.lineTo(-Math.sqrt(3) * y, -y)
    path.lineTo(Math.sqrt(3) * y, -y)
    path.closePath()
  },
}
/** The lower half of a disc. */
const symbolBowl: SymbolType = {
  draw(path, size) {
    const radius = Math.sqrt((2 * size) / Math.PI)
    path.arc(0, -radius / 2, radius, 0, Math.PI)
    path.closePath()
  },
}

export const SHAPES: Record<Match, SymbolType> = {
  post: symbolStar,
  forward: symbolTriangle,
  exact: symbolCircle,
  quoted: symbolTip,
  part: symbolBowl,
  near: symbolDiamond,
  link: symbolSquare,
  media: symbolCross,
  reworded: symbolWye,
}

/** Returns the path of a kind's shape around (0, 0), for SVG and canvas. */
export const shapeOf = (kind: Match, size = SIZE): string => symbol(SHAPES[kind], size)() ?? ''

/** The path of the line across the shape of a removed post. */
export const STRIKE = 'M-8 8L8 -8'

export const scaleOf = ({
  span,
  gutter,
  width,
}: Pick<View, 'span' | 'gutter' | 'width'>): ScaleTime<number, number> =>
  scaleUtc()
    .domain([new Date(span[0]), new Date(span[1])])
    .range([gutter + PADDING, Math.max(width - PADDING, gutter + PADDING + 1)])

const DAY_MS = 86_400_000
const MONTH_MS = 28 * DAY_MS
const fullDay = utcFormat('%b %-d, %Y')
const monthAndDay = utcFormat('%b %-d')
const monthAndYear = utcFormat('%b %Y')
const hourAndMinute = utcFormat('%H:%M')
const withSeconds = utcFormat('%H:%M:%S')

/**
 * Returns the labels of an axis. The first label, and the first of each year, contain the full date. The first label of
 * each day contains the day.
 */
export const axisLabels = (ticks: readonly Date[]): string[] => {
  const step = (ticks[1]?.getTime() ?? 0) - (ticks[0]?.getTime() ?? 0)
  return ticks.map((tick, n) => {
    const before = ticks[n - 1]
    if (step >= MONTH_MS) return monthAndYear(tick)
    if (before?.getUTCFullYear() !== tick.getUTCFullYear()) return fullDay(tick)
    if (step >= DAY_MS || before.getUTCDate() !== tick.getUTCDate()) return monthAndDay(tick)
    return step >= 60_000 ? hourAndMinute(tick) : withSeconds(tick)
  })
}

const middleOf = (lane: number, { scroll }: Pick<View, 'scroll'>): number =>
  AXIS_HEIGHT + lane * LANE_HEIGHT + LANE_HEIGHT / 2 - scroll

const lanesInView = ({ lanes }: Timeline, { scroll, height }: View): [from: number, to: number] => [
  Math.max(0, Math.floor(scroll / LANE_HEIGHT)),
  Math.min(lanes.length, Math.ceil((scroll + height - AXIS_HEIGHT) / LANE_HEIGHT)),
]

/** Returns the index of the mark at a position of the view; -1 if there is none. */
export function markAt(timeline: Timeline, view: View, x: number, y: number): number {
  if (y < AXIS_HEIGHT || x < view.gutter) return -1
  const lane = timeline.lanes[Math.floor((y - AXIS_HEIGHT + view.scroll) / LANE_HEIGHT)]
  const scale = scaleOf(view)
  let best = -1
  let nearest = REACH
  for (const index of lane?.marks ?? []) {
    const distance = Math.abs(scale(timeline.marks[index]?.at ?? 0) - x)
    if (distance < nearest) {
      nearest = distance
      best = index
    }
  }
  return best
}

const clip = (ctx: CanvasRenderingContext2D, text: string, width: number): string => {
  if (ctx.measureText(text).width <= width) return text
  const letters = Array.from(text.slice(0, 80))
  while (letters.length > 1 && ctx.measureText(`${letters.join('')}…`).width > width) letters.pop()
  return `${letters.join('')}…`
}

/**
 * Creates a function that paints a timeline on a canvas. `edges` are lines between occurrences, by id. Over 80 lines, as
 * it is one picture from back to front: each step continues with the state of the canvas.
 */
export function createPainter(timeline: Timeline, edges: readonly SightingEdge[], palette: Palette) {
  const shapes = new Map<Match, Path2D>()
  const struck = new Path2D(STRIKE)
  const pathOf = (kind: Match): Path2D => {
    const path = shapes.get(kind) ?? new Path2D(shapeOf(kind))
    shapes.set(kind, path)
    return path
  }
  const lines = edges.flatMap(({ from, to, how }) => {
    const [a, b] = [timeline.indexOf.get(from), timeline.indexOf.get(to)]
    return a === undefined || b === undefined ? [] : [{ a, b, how }]
  })

  const paintLine = (
    ctx: CanvasRenderingContext2D,
    view: View,
    x: (mark: Mark) => number,
    { a, b, how }: (typeof lines)[number],
  ) => {
    const [from, to] = [timeline.marks[a], timeline.marks[b]]
    if (!from || !to) return
    ctx.setLineDash(how === 'copy' ? [3, 4] : [])
    ctx.beginPath()
    ctx.moveTo(x(from), middleOf(from.lane, view))
    ctx.lineTo(x(to), middleOf(to.lane, view))
    ctx.stroke()
  }

  const paintMark = (ctx: CanvasRenderingContext2D, view: View, x: number, mark: Mark, index: number) => {
    const path = pathOf(mark.kind)
    const isSelected = index === view.selected
    ctx.save()
    ctx.translate(x, middleOf(mark.lane, view))
    const color = mark.own ? palette.own : palette.shared
    ctx.fillStyle = mark.claimed ? color : palette.ground
    ctx.strokeStyle = color
    ctx.lineWidth = 1.5
    if (!mark.claimed) {
      // An arrow to the left: the post may be earlier.
      ctx.beginPath()
      ctx.moveTo(-7, 0)
      ctx.lineTo(-20, 0)
      ctx.moveTo(-16, -3)
      ctx.lineTo(-20, 0)
      ctx.lineTo(-16, 3)
      ctx.stroke()
    }
    ctx.fill(path)
    ctx.stroke(path)
    if (mark.edited) {
      ctx.fillStyle = palette.text
      ctx.fillRect(-6, 9, 12, 2)
    }
    if (mark.removed) {
      ctx.strokeStyle = palette.text
      ctx.lineWidth = 2
      ctx.stroke(struck)
    }
    if (isSelected || index === view.hovered) {
      ctx.strokeStyle = isSelected ? palette.selected : palette.muted
      ctx.lineWidth = 2
      ctx.beginPath()
      ctx.arc(0, 0, 11, 0, 2 * Math.PI)
      ctx.stroke()
    }
    ctx.restore()
  }

  return (ctx: CanvasRenderingContext2D, view: View): void => {
    const { width, height, gutter } = view
    const scale = scaleOf(view)
    const x = (mark: Mark) => scale(mark.at)
    const [from, to] = lanesInView(timeline, view)
    ctx.fillStyle = palette.ground
    ctx.fillRect(0, 0, width, height)
    ctx.textBaseline = 'middle'
    ctx.font = `12px ${palette.font}`
    for (let lane = from; lane < to; lane++) {
      const middle = middleOf(lane, view)
      if (lane % 2 === 0) {
        ctx.fillStyle = palette.stripe
        ctx.fillRect(0, middle - LANE_HEIGHT / 2, width, LANE_HEIGHT)
      }
    }
    ctx.strokeStyle = palette.line
    ctx.lineWidth = 1
    ctx.beginPath()
    const ticks = scale.ticks(Math.max(2, Math.floor((width - gutter) / 110)))
    for (const tick of ticks) {
      ctx.moveTo(Math.round(scale(tick)) + 0.5, AXIS_HEIGHT)
      ctx.lineTo(Math.round(scale(tick)) + 0.5, height)
    }
    ctx.stroke()

    ctx.save()
    ctx.beginPath()
    ctx.rect(gutter, AXIS_HEIGHT, width - gutter, height - AXIS_HEIGHT)
    ctx.clip()
    ctx.strokeStyle = palette.muted
    ctx.globalAlpha = 0.5
    for (const line of lines.slice(0, LINES_MAX)) paintLine(ctx, view, x, line)
    ctx.globalAlpha = 1
    ctx.strokeStyle = palette.selected
    ctx.lineWidth = 2
    for (const line of lines)
      if (line.a === view.selected || line.b === view.selected) paintLine(ctx, view, x, line)
    ctx.setLineDash([])
    for (let lane = from; lane < to; lane++)
      for (const index of timeline.lanes[lane]?.marks ?? []) {
        const mark = timeline.marks[index]
        if (!mark || index === view.selected) continue
        const place = x(mark)
        if (place >= gutter - PADDING && place <= width + PADDING) paintMark(ctx, view, place, mark, index)
      }
    const selected = timeline.marks[view.selected]
    if (selected) paintMark(ctx, view, x(selected), selected, view.selected)
    ctx.restore()

    ctx.fillStyle = palette.text
    ctx.textAlign = 'left'
    ctx.save()
    ctx.beginPath()
    ctx.rect(0, AXIS_HEIGHT, gutter, height - AXIS_HEIGHT)
    ctx.clip()
    for (let lane = from; lane < to; lane++)
      ctx.fillText(clip(ctx, timeline.lanes[lane]?.name ?? '', gutter - 16), 12, middleOf(lane, view))
    ctx.restore()
    // Painted after the lanes, which scroll below it.
    ctx.fillStyle = palette.ground
    ctx.fillRect(0, 0, width, AXIS_HEIGHT)
    ctx.fillStyle = palette.muted
    ctx.textAlign = 'center'
    const labels = axisLabels(ticks)
    for (const [n, tick] of ticks.entries())
      ctx.fillText(labels[n] ?? '', Math.min(scale(tick), width - 28), AXIS_HEIGHT / 2)
    ctx.textAlign = 'left'
    ctx.fillText('UTC', 12, AXIS_HEIGHT / 2)
    ctx.strokeStyle = palette.line
    ctx.lineWidth = 1
    ctx.beginPath()
    ctx.moveTo(0, AXIS_HEIGHT - 0.5)
    ctx.lineTo(width, AXIS_HEIGHT - 0.5)
    ctx.moveTo(gutter + 0.5, AXIS_HEIGHT)
    ctx.lineTo(gutter + 0.5, height)
    ctx.stroke()
  }
}
