import type { KnownIod } from '../../shared/messages'
import { contains, hasBox, isVisible, parentOf } from './dom'
import { type FoundValue, type KnownText, wordsOf } from './known-texts'
import { setRange } from './page-texts'
import type { Line, Surface } from './surface'

/** Drawing takes one part in so many of the time at most, but for scrolling. */
const SHARE = 25
/** Asking what covers words takes longest: a drawing does it for so long, of the same words so often, and not while the page scrolls. */
const COVER_BUDGET_MS = 4
const COVER_MS = 1_000
const SETTLED_MS = 150
const LINES_MAX = 500
/** Layouts change without an event, too. */
const REDRAW_MS = 500
/** Distance from a line at which its words count as pointed at. */
const NEAR_PX = 2

/** Words on screen that are known, with the place of one of their lines. */
export interface Drawn {
  rect: DOMRect
  text: string
  iods: readonly KnownIod[]
}

/** Underlines the known values that are in view, and knows where. */
export const createPainter = (surface: Surface) => {
  const known = new Map<Element, readonly KnownText[]>()
  const inView = new Set<Element>()
  const covered = new WeakMap<FoundValue, { is: boolean; at: number }>()
  const range = document.createRange()
  let drawn: Drawn[] = []
  let isOn = false
  let frame = 0
  let timer: number | undefined
  let scrolledAt = 0
  /** When the page's thread has rested from the last drawing. */
  let drawAfter = 0

  const views = new IntersectionObserver(
    entries => {
      for (const { target, isIntersecting } of entries)
        if (isIntersecting) inView.add(target)
        else inView.delete(target)
      drawSoon()
    },
    { rootMargin: '200px' },
  )

  const drawNow = () => {
    if (isOn && frame === 0) frame = requestAnimationFrame(draw)
  }
  /** Draws at the next frame that leaves the page most of its time. */
  const drawSoon = () => {
    const wait = drawAfter - performance.now()
    if (wait <= 0) return drawNow()
    clearTimeout(timer)
    timer = setTimeout(drawNow, wait)
  }

  /** Whether the words are not seen where they stand; as it was before, unless it is asked again. */
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

  const place = (text: KnownText, found: FoundValue, isAsked: () => boolean) => {
    if (!setRange(range, text, found)) return
    const parent = parentOf(range.startContainer)
    const rects = [...range.getClientRects()].filter(
      ({ width, bottom, top, left, right }) =>
        width > 0 && bottom > 0 && top < innerHeight && right > 0 && left < innerWidth,
    )
    const [first] = rects
    if (!first || !parent || isCovered(found, first, parent, isAsked())) return
    const words = wordsOf(text, found)
    for (const rect of rects) drawn.push({ rect, text: words, iods: found.iods })
  }

  const draw = () => {
    frame = 0
    clearTimeout(timer)
    if (!isOn) return
    const begun = performance.now()
    const isSettled = begun - scrolledAt > SETTLED_MS
    const isAsked = () => isSettled && performance.now() - begun < COVER_BUDGET_MS
    drawn = []
    for (const block of inView)
      for (const text of known.get(block) ?? [])
        for (const found of text.found) if (drawn.length < LINES_MAX) place(text, found, isAsked)
    // A range in the page is kept up with each of its changes.
    range.setStart(document, 0)
    range.collapse(true)
    surface.draw(drawn.map(({ rect }): Line => rect))
    const now = performance.now()
    drawAfter = now + SHARE * (now - begun)
    if (inView.size > 0 && !document.hidden) timer = setTimeout(drawNow, REDRAW_MS)
  }

  const listen = (on: boolean) => {
    const change = on ? addEventListener : removeEventListener
    for (const type of ['resize', 'load', 'transitionend', 'animationend', 'toggle', 'visibilitychange'])
      change(type, drawNow, { capture: true, passive: true })
    change('scroll', scrolled, { capture: true, passive: true })
  }
  const scrolled = () => {
    scrolledAt = performance.now()
    drawNow()
  }

  return {
    start() {
      isOn = true
      listen(true)
    },
    stop() {
      isOn = false
      cancelAnimationFrame(frame)
      frame = 0
      clearTimeout(timer)
      listen(false)
      drawn = []
      surface.draw([])
    },
    /** Takes in what is known of a block: an empty list for nothing. */
    put(block: Element, texts: readonly KnownText[]) {
      if (texts.length === 0) {
        known.delete(block)
        inView.delete(block)
        views.unobserve(block)
      } else {
        known.set(block, texts)
        views.observe(block)
        // No box of its own: the browser never says that it is in view.
        if (!hasBox(block)) inView.add(block)
      }
      drawSoon()
    },
    /** The page has changed somewhere. */
    changed() {
      if (drawn.length > 0) drawSoon()
    },
    /** The words at a point of the window. */
    wordsAt(x: number, y: number): Drawn | undefined {
      return drawn.find(
        ({ rect: { left, right, top, bottom } }) =>
          x >= left && x <= right && y >= top - NEAR_PX && y <= bottom + NEAR_PX,
      )
    },
  }
}
