import { NavigationType, useLocation, useNavigationType } from '@iodine/ui/router'
import { useEffect } from 'react'

const STORED_AS = 'scroll_positions'
const TIMEOUT_MS = 3_000
const USER_EVENTS = ['wheel', 'touchmove', 'pointerdown', 'keydown'] as const

type Positions = Map<string, number>

/** Reads the stored positions. Empty unless this is a reload or a Back/Forward load, which keep the history entries. */
const readPositions = (): Positions => {
  const [load] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[]
  if (load?.type !== 'reload' && load?.type !== 'back_forward') return new Map()
  try {
    return new Map(JSON.parse(sessionStorage.getItem(STORED_AS) ?? '[]'))
  } catch {
    return new Map()
  }
}
let positions: Positions | undefined

/**
 * Restores the scroll position of a history entry on Back and Forward. The browser's restoration stops before a section
 * has loaded its content. This one waits up to 3 s until the page is long enough, and stops when the user scrolls.
 */
export function useScrollPosition(): void {
  const { key, pathname, search } = useLocation()
  // The key alone is ambiguous: the first entry of each page load has the same key.
  const entry = `${key} ${pathname}${search}`
  const navigationType = useNavigationType()

  useEffect(() => {
    history.scrollRestoration = 'manual'
    const store = () => sessionStorage.setItem(STORED_AS, JSON.stringify([...(positions ?? [])].slice(-50)))
    window.addEventListener('pagehide', store)
    return () => window.removeEventListener('pagehide', store)
  }, [])

  useEffect(() => {
    positions ??= readPositions()
    const known = positions
    const target = navigationType === NavigationType.Pop ? known.get(entry) : undefined
    const stopRestoring = target ? restore(target) : () => {}
    const note = () => known.set(entry, window.scrollY)
    window.addEventListener('scroll', note, { passive: true })
    return () => {
      stopRestoring()
      window.removeEventListener('scroll', note)
    }
  }, [entry, navigationType])
}

/** Scrolls to `top` as soon as the page is long enough. Returns a function that cancels this. */
function restore(top: number): () => void {
  const attempt = () => {
    window.scrollTo(0, top)
    if (Math.abs(window.scrollY - top) <= 1) stop()
  }
  const grown = new ResizeObserver(attempt)
  const timer = setTimeout(() => stop(), TIMEOUT_MS)
  const stop = () => {
    grown.disconnect()
    clearTimeout(timer)
    for (const move of USER_EVENTS) window.removeEventListener(move, stop)
  }
  for (const move of USER_EVENTS) window.addEventListener(move, stop, { passive: true })
  grown.observe(document.body)
  return stop
}
