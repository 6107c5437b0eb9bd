import type { Match, Sighting } from '@iodine/contracts'
import { accountKey, kindOf, nameOf } from './sightings'

export interface Lane {
  key: string
  source: Sighting['source']
  name: string
  /** Indices of its marks, the earliest first. */
  marks: number[]
}

/** A sighting on the timeline. */
export interface Mark {
  id: string
  lane: number
  /** In milliseconds since 1970. */
  at: number
  kind: Match
  /** Whether the page claims the time; else it is when it was collected. */
  claimed: boolean
  edited: boolean
  /** The post was seen removed. */
  removed?: true
  own: boolean
}

/** A span of time in milliseconds since 1970. */
export type Span = readonly [from: number, to: number]

export interface Timeline {
  lanes: readonly Lane[]
  /** In order of time. */
  marks: readonly Mark[]
  /** All marks, with room at both ends. */
  whole: Span
  indexOf: ReadonlyMap<string, number>
}

const DAY_MS = 86_400_000
/** Share of the time that is left free at both ends. */
const ROOM = 0.04
/** The shortest time that is shown: a second. */
const SPAN_MIN_MS = 1_000

/** Lays sightings out: a lane an account, the account that was first on top. */
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
    whole: [first - room, last + room],
    indexOf: new Map(marks.map(({ id }, index) => [id, index])),
  }
}

/** A span within the whole; the whole itself if it is as long. */
export function clampSpan([from, to]: Span, whole: Span): Span {
  const length = Math.max(to - from, SPAN_MIN_MS)
  if (length >= whole[1] - whole[0]) return whole
  const start = Math.min(Math.max(from, whole[0]), whole[1] - length)
  return [start, start + length]
}

/** Zooms by a factor (below 1 goes nearer) about a time. */
export const zoomSpan = ([from, to]: Span, factor: number, about: number, whole: Span): Span =>
  clampSpan([about - (about - from) * factor, about + (to - about) * factor], whole)

/** Moves by a share of what is shown, or no more than needed to show a time. */
export const moveSpan = ([from, to]: Span, share: number, whole: Span): Span => {
  const step = (to - from) * share
  return clampSpan([from + step, to + step], whole)
}
export const spanWith = (span: Span, at: number, whole: Span): Span => {
  const [from, to] = span
  if (at >= from && at <= to) return span
  const length = to - from
  return clampSpan([at - length / 2, at + length / 2], whole)
}

/** Keys that move the selection. */
export const MOVES = ['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown', 'Home', 'End'] as const
export type Move = (typeof MOVES)[number]
export const isMove = (key: string): key is Move => (MOVES as readonly string[]).includes(key)

/** The mark that a key leads to: left and right by time, up and down to the nearest in time of the next lane. */
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

/** How many marks each of `count` equal parts of a span has. */
export function countParts({ marks }: Timeline, [from, to]: Span, count: number): number[] {
  const parts = Array.from({ length: count }, () => 0)
  for (const { at } of marks) {
    const part = Math.min(count - 1, Math.floor(((at - from) / (to - from)) * count))
    if (part >= 0) parts[part] = (parts[part] ?? 0) + 1
  }
  return parts
}
