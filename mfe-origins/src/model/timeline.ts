import type { Match, Sighting } from '@iodine/contracts'
import { accountKey, kindOf, nameOf } from './sightings'

export interface Lane {
  key: string
  source: Sighting['source']
  name: string
  /** Indices of its marks, in order of time. */
  marks: number[]
}

/** An occurrence on the timeline. */
export interface Mark {
  id: string
  lane: number
  /** In milliseconds since 1970. */
  at: number
  kind: Match
  /** Whether the page claims the time; otherwise it is the time of collection. */
  claimed: boolean
  edited: boolean
  /** Whether the post was seen removed. */
  removed?: true
  own: boolean
}

/** A span of time in milliseconds since 1970. */
export type Span = readonly [from: number, to: number]

export interface Timeline {
  lanes: readonly Lane[]
  /** In order of time. */
  marks: readonly Mark[]
  /** The span of all marks, with free space at both ends. */
  fullSpan: Span
  indexOf: ReadonlyMap<string, number>
}

const DAY_MS = 86_400_000
/** Share of the span that is free space, at each end. */
const ROOM = 0.04
/** Minimum displayed span: a second. */
const SPAN_MIN_MS = 1_000

/** Arranges occurrences in one lane per account, ordered by the account's first occurrence. */
export function layTimeline(items: readonly Sighting[]): Timeline {
  const lanes: Lane[] = []
  const laneOf = new Map<string, number>()
  const sorted = [...items].sort((a, b) => Date.parse(a.at) - Date.parse(b.at))
  const marks = sorted.map((item, index): Mark => {
    const key = accountKey(item)
    let lane = laneOf.get(key)
    if (lane === undefined) {
      lane = lanes.length
      laneOf.set(key, lane)
      lanes.push({ key, source: item.source, name: nameOf(item), marks: [] })
    }
    lanes[lane]?.marks.push(index)
    return {
      id: item.id,
      lane,
      at: Date.parse(item.at),
      kind: kindOf(item.matches),
      claimed: item.posted_claimed,
      edited: item.edited,
      ...(item.removed_at && { removed: true }),
      own: item.own,
    }
  })
  const first = marks[0]?.at ?? Date.now()
  const last = marks.at(-1)?.at ?? first
  const room = last > first ? Math.max((last - first) * ROOM, SPAN_MIN_MS) : DAY_MS
  return {
    lanes,
    marks,
    fullSpan: [first - room, last + room],
    indexOf: new Map(marks.map(({ id }, index) => [id, index])),
  }
}

/** Limits a span to the full span. */
export function clampSpan([from, to]: Span, fullSpan: Span): Span {
  const length = Math.max(to - from, SPAN_MIN_MS)
  if (length >= fullSpan[1] - fullSpan[0]) return fullSpan
  const start = Math.min(Math.max(from, fullSpan[0]), fullSpan[1] - length)
  return [start, start + length]
}

/** Zooms around a time by a factor; a factor below 1 zooms in. */
export const zoomSpan = ([from, to]: Span, factor: number, about: number, fullSpan: Span): Span =>
  clampSpan([about - (about - from) * factor, about + (to - about) * factor], fullSpan)

/** Moves by a share of the displayed span. */
export const moveSpan = ([from, to]: Span, share: number, fullSpan: Span): Span => {
  const step = (to - from) * share
  return clampSpan([from + step, to + step], fullSpan)
}
export const spanWith = (span: Span, at: number, fullSpan: Span): Span => {
  const [from, to] = span
  if (at >= from && at <= to) return span
  const length = to - from
  return clampSpan([at - length / 2, at + length / 2], fullSpan)
}

/** Keys that move the selection. */
export const MOVES = ['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown', 'Home', 'End'] as const
export type Move = (typeof MOVES)[number]
export const isMove = (key: string): key is Move => (MOVES as readonly string[]).includes(key)

/** Returns the mark that a key selects: left and right by time, up and down to the nearest mark of the next lane. */
export function moveSelection({ lanes, marks }: Timeline, selected: number, move: Move): number {
  const last = marks.length - 1
  if (last < 0) return -1
  if (move === 'Home') return 0
  if (move === 'End') return last
  const mark = marks[selected]
  if (!mark) return 0
  if (move === 'ArrowLeft') return Math.max(0, selected - 1)
  if (move === 'ArrowRight') return Math.min(last, selected + 1)
  const lane = lanes[mark.lane + (move === 'ArrowUp' ? -1 : 1)]
  if (!lane) return selected
  return lane.marks.reduce((best, index) => {
    const distance = (of: number) => Math.abs((marks[of]?.at ?? 0) - mark.at)
    return distance(index) < distance(best) ? index : best
  }, lane.marks[0] ?? selected)
}

/** Counts the marks in `count` equal parts of a span. */
export function countParts({ marks }: Timeline, [from, to]: Span, count: number): number[] {
  const parts = Array.from({ length: count }, () => 0)
  for (const { at } of marks) {
    const part = Math.min(count - 1, Math.floor(((at - from) / (to - from)) * count))
    if (part >= 0) parts[part] = (parts[part] ?? 0) + 1
  }
  return parts
}
