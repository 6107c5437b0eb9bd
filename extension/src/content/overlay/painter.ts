import type { KnownIod } from '../../shared/messages'
import { boxOf, contains, isVisible, parentOf } from './dom'
import { type FoundValue, type KnownText, wordsOf } from './known-texts'
import { setRange } from './page-texts'
import type { Line, Surface } from './surface'

/** Drawing takes at most 1/SHARE of the time, except while scrolling. */
const SHARE = 50
/**
 * The check for covered words is slow: it has a time budget per drawing and an interval per word, and pauses while
 * scrolling.
 */
const COVER_BUDGET_MS = 3
const COVER_MS = 1_000
const SETTLED_MS = 150
/** Intervals of the search for blocks near the window, after movement and at rest, and its time budget per drawing. */
const NEAR_MS = 100
const NEAR_RESTING_MS = 3_000
const NEAR_BUDGET_MS = 3
const LINES_MAX = 500
/** Limit per IOD: a frequent word must not displace the others. */
const LINES_OF_ONE = 50
/** Redraw interval, since layouts also change without an event. */
const REDRAW_MS = 1_000
/** Distance from a line at which its words count as hovered. */
const AROUND_PX = 2

/** Known words on screen, with one of their line boxes. */
export interface Drawn {
  rect: DOMRect
  /** Bounds over all line boxes. */
  top: number
  bottom: number
  text: string
  iods: readonly KnownIod[]
}

/** Creates the search for the known blocks near the window. */
const createNearBlocks = (known: ReadonlyMap<Element, unknown>) => {
  /** Blocks within one window height of the window. Blocks without a box count as near. */
  const blocks = new Set<Element>()
  let rest: Iterator<Element> = known.keys()
  let nearAfter = 0
  let movedAfter = 0
  /**
   * Continues the search for near blocks within its budget. An IntersectionObserver would check all blocks in each
   * frame.
   */
  const find = () => {
    const begun = performance.now()
    if (begun < nearAfter) return
    let now = begun
    for (let next = rest.next(); now - begun < NEAR_BUDGET_MS; next = rest.next()) {
      if (next.done) {
        rest = known.keys()
        nearAfter = now + NEAR_RESTING_MS
        movedAfter = now + Math.max(NEAR_MS, SHARE * (now - begun))
        return
      }
      const { top, bottom } = boxOf(next.value)
      if (bottom > -innerHeight && top < 2 * innerHeight) blocks.add(next.value)
      else blocks.delete(next.value)
      now = performance.now()
    }
  }

  return {
    blocks,
    find,
    /** Handles movement of the page: schedules an earlier search. */
    moved() {
      nearAfter = Math.min(nearAfter, movedAfter)
    },
  }
}

/** Last results of the check for covered words. */
const covered = new WeakMap<FoundValue, { is: boolean; at: number }>()

/** Returns whether the words are covered or invisible. Returns the last result unless `isAsked` and it is too old. */
const isCovered = (
  found: FoundValue,
  { left, right, top, bottom }: DOMRect,
  parent: Element,
  isAsked: boolean,
): boolean => {
  const before = covered.get(found)
  const now = performance.now()
  if (!isAsked || (before && now - before.at < COVER_MS)) return before?.is ?? false
  const seen = document.elementFromPoint((left + right) / 2, (top + bottom) / 2)
  const isBehind = seen !== null && !contains(seen, parent) && !contains(parent, seen)
  const is = isBehind || !isVisible(parent)
  covered.set(found, { is, at: now })
  return is
}

/** Returns the lines of known words that are in view and not covered. */
const linesOf = (range: Range, text: KnownText, found: FoundValue, isAsked: () => boolean): Drawn[] => {
  if (!setRange(range, text, found)) return []
  const parent = parentOf(range.startContainer)
  const rects = [...range.getClientRects()].filter(
    ({ width, bottom, top, left, right }) =>
      width > 0 && bottom > 0 && top < innerHeight && right > 0 && left < innerWidth,
  )
  const [first] = rects
  if (!first || !parent || isCovered(found, first, parent, isAsked())) return []
  const words = wordsOf(text, found)
  const top = Math.min(...rects.map(rect => rect.top))
  const bottom = Math.max(...rects.map(rect => rect.bottom))
  return rects.map(rect => ({ rect, top, bottom, text: words, iods: found.iods }))
}

/** Returns the lines of known texts, up to both limits. */
const collect = (texts: Iterable<KnownText>, range: Range, isAsked: () => boolean): Drawn[] => {
  const drawn: Drawn[] = []
  const counts = new Map<string | undefined, number>()
  for (const text of texts)
    for (const found of text.found) {
      const id = found.iods[0]?.id
      const count = counts.get(id) ?? 0
      if (drawn.length >= LINES_MAX || count >= LINES_OF_ONE) continue
      const lines = linesOf(range, text, found, isAsked)
      drawn.push(...lines)
      counts.set(id, count + lines.length)
    }
  return drawn
}

/**
 * Creates the schedule of the drawings.
 * @param draw draws at a time, and returns whether to redraw after an interval
 */
const createSchedule = (draw: (begun: number) => boolean) => {
  let isOn = false
  let frame = 0
  let timer: ReturnType<typeof setTimeout> | undefined
  /** Whether the timer is for a requested drawing. */
  let isDue = false
  /** Earliest time of the next drawing that `soon` schedules. */
  let drawAfter = 0

  const run = () => {
    frame = 0
    isDue = false
    clearTimeout(timer)
    if (!isOn) return
    const begun = performance.now()
    const repeats = draw(begun)
    const end = performance.now()
    drawAfter = end + SHARE * (end - begun)
    if (repeats) timer = setTimeout(now, REDRAW_MS)
  }
  const now = () => {
    if (isOn && frame === 0) frame = requestAnimationFrame(run)
  }
  return {
    now,
    /** Draws as soon as the time share permits. */
    soon() {
      if (isDue || frame !== 0) return
      const wait = drawAfter - performance.now()
      if (wait <= 0) return now()
      isDue = true
      clearTimeout(timer)
      timer = setTimeout(now, wait)
    },
    start() {
      isOn = true
      // `stop` cancelled a pending drawing.
      isDue = false
      drawAfter = 0
    },
    stop() {
      isOn = false
      cancelAnimationFrame(frame)
      frame = 0
      clearTimeout(timer)
    },
  }
}

/** Creates the painter, which underlines the known values in view and finds them by point. */
export const createPainter = (surface: Surface) => {
  const known = new Map<Element, readonly KnownText[]>()
  const near = createNearBlocks(known)
  const range = document.createRange()
  let drawn: Drawn[] = []
  let scrolledAt = 0
  const schedule = createSchedule(begun => {
    const isSettled = begun - scrolledAt > SETTLED_MS
    const isAsked = () => isSettled && performance.now() - begun < COVER_BUDGET_MS
    near.find()
    drawn = collect(
      [...near.blocks].flatMap(block => known.get(block) ?? []),
      range,
      isAsked,
    )
    // The browser updates a range in the page at each DOM change.
    range.setStart(document, 0)
    range.collapse(true)
    surface.draw(drawn.map(({ rect }): Line => rect))
    return known.size > 0 && !document.hidden
  })

  const listen = (on: boolean) => {
    const change = on ? addEventListener : removeEventListener
    for (const type of ['resize', 'load', 'transitionend', 'animationend', 'toggle', 'visibilitychange'])
      change(type, laidOut, { capture: true, passive: true })
    change('scroll', scrolled, { capture: true, passive: true })
  }
  const laidOut = () => {
    near.moved()
    schedule.now()
  }
  const scrolled = () => {
    scrolledAt = performance.now()
    near.moved()
    schedule.now()
  }

  return {
    start() {
      schedule.start()
      listen(true)
    },
    stop() {
      schedule.stop()
      listen(false)
      drawn = []
      surface.draw([])
    },
    /** Sets the known texts of a block; an empty list removes it. */
    put(block: Element, texts: readonly KnownText[]) {
      if (texts.length === 0) {
        known.delete(block)
        near.blocks.delete(block)
      } else known.set(block, texts)
      near.moved()
      schedule.soon()
    },
    /** Handles a change of the page. */
    changed() {
      near.moved()
      if (drawn.length > 0) schedule.soon()
    },
    /** Returns the known words at a point of the window; several if they overlap. */
    wordsAt(x: number, y: number): Drawn[] {
      return drawn.filter(
        ({ rect: { left, right, top, bottom } }) =>
          x >= left && x <= right && y >= top - AROUND_PX && y <= bottom + AROUND_PX,
      )
    },
  }
}
