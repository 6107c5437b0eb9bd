import { type RefObject, useEffect } from 'react'
import { useLatest } from './use-latest'

/** Pointer movements up to this distance, in pixels, are ignored as tremor. */
const TREMOR_PX = 4

/**
 * Calls `onLeave` when the placeholder of a removed item may be removed: a mouse has left it, the keyboard focus is
 * elsewhere, or it is scrolled out of view. After a tap, only the last applies. Until then the placeholder keeps the
 * next item from moving under the pointer, where a second click would remove it.
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
        // Browsers also fire this event when the page scrolls under the pointer.
        const isMove = Math.hypot(x - from.x, y - from.y) > TREMOR_PX
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
