import { type RefObject, useEffect } from 'react'
import { useLatest } from './use-latest'

/** Movements of the pointer in pixels that count as none: a hand trembles. */
const STILL = 4

/**
 * Calls `onLeave` once the place of something removed may go: when a mouse has left it, when the keyboard's
 * focus is elsewhere, or when it is out of sight; after a tap, only then. Kept until then, nothing comes
 * under a pointer that does not move, whose second click would remove the next thing.
 */
export function usePlaceLeft(place: RefObject<Element | null>, onLeave: () => void): void {
  const leave = useLatest(onLeave)
  useEffect(() => {
    const element = place.current
    if (!element) return
    const stop = new AbortController()
    const { signal } = stop
    const isOutside = (target: EventTarget | null) => target instanceof Node && !element.contains(target)
    let from: { x: number; y: number } | undefined
    document.addEventListener(
      'pointermove',
      ({ target, pointerType, clientX: x, clientY: y }) => {
        from ??= { x, y }
        // The browser tells of a movement, too, when the page moves under the pointer.
        const isMove = Math.hypot(x - from.x, y - from.y) > STILL
        if (pointerType !== 'touch' && isMove && isOutside(target)) leave.current()
      },
      { signal },
    )
    document.addEventListener(
      'focusin',
      ({ target }) => {
        if (isOutside(target) && (target as Element).matches(':focus-visible')) leave.current()
      },
      { signal },
    )
    const seen = new IntersectionObserver(([entry]) => entry && !entry.isIntersecting && leave.current())
    seen.observe(element)
    return () => {
      stop.abort()
      seen.disconnect()
    }
  }, [place, leave])
}
