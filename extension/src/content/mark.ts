import { createBatchedLookup, createKnownIods, lookupCandidates } from '@iodine/known-iods'
import { ask, type KnownValue } from '../shared/messages'

/** Name of the highlight. The background sets its style. */
const HIGHLIGHT = 'iodine-known'
const SETTLED_MS = 400
const TEXTS_MAX = 400
const TEXT_CHARACTERS_MAX = 5_000
/** The maximum number of values looked up for one view of a page. */
const CANDIDATES_MAX = 4_000
const UNREAD =
  'script, style, noscript, template, textarea, input, select, [contenteditable]:not([contenteditable="false"])'

/** Highlights known IODs in view, without changing the page's elements. */
export const createMarker = () => {
  const lookup = createBatchedLookup<KnownValue>(values => ask('lookup', { values }))
  const asked = new Set<string>()
  const known = new Map<string, KnownValue>()
  let timer: number | undefined
  let observer: MutationObserver | undefined

  const scan = async () => {
    const nodes = textsInView()
    const candidates = new Set<string>()
    for (const { data } of nodes) {
      if (asked.has(data)) continue
      const own = lookupCandidates(data)
      if (candidates.size + own.length > CANDIDATES_MAX) continue
      asked.add(data)
      for (const candidate of own) candidates.add(candidate)
    }
    try {
      if (candidates.size > 0) for (const iod of await lookup([...candidates])) known.set(iod.id, iod)
    } catch {
      return stop()
    }
    if (observer) draw()
  }

  const draw = () => {
    const { split } = createKnownIods([...known.values()])
    const ranges = textsInView().flatMap(node =>
      split(node.data)
        .filter(piece => piece.iods.length > 0)
        .map(piece => {
          const range = document.createRange()
          range.setStart(node, piece.start)
          range.setEnd(node, piece.start + piece.text.length)
          return range
        }),
    )
    CSS.highlights.set(HIGHLIGHT, new Highlight(...ranges))
  }

  const scanSoon = () => {
    clearTimeout(timer)
    timer = setTimeout(scan, SETTLED_MS)
  }

  const stop = () => {
    clearTimeout(timer)
    observer?.disconnect()
    observer = undefined
    removeEventListener('scroll', scanSoon, true)
    CSS.highlights.delete(HIGHLIGHT)
  }

  return {
    start() {
      if (observer || !('highlights' in CSS)) return
      observer = new MutationObserver(scanSoon)
      observer.observe(document.body, { childList: true, subtree: true, characterData: true })
      addEventListener('scroll', scanSoon, { capture: true, passive: true })
      scan()
    },
    stop,
    /** Marks a value from now on. */
    learn(iod: KnownValue) {
      known.set(iod.id, iod)
      if (observer) draw()
    },
  }
}

/** Text nodes that are not blank, on screen and one screen further down. */
const textsInView = (): Text[] => {
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  const nodes: Text[] = []
  for (let node = walker.nextNode(); node && nodes.length < TEXTS_MAX; node = walker.nextNode()) {
    const text = node as Text
    const parent = text.parentElement
    if (!parent || text.data.trim() === '' || text.length > TEXT_CHARACTERS_MAX || parent.closest(UNREAD))
      continue
    const { top, bottom, width } = parent.getBoundingClientRect()
    if (width > 0 && bottom >= 0 && top <= 2 * innerHeight) nodes.push(text)
  }
  return nodes
}
