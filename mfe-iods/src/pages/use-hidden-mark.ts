import { type RefObject, useLayoutEffect, useState } from 'react'

/** Width of the ellipsis at the end of a cut text, in pixels. */
const ELLIPSIS = 16

/**
 * Returns whether the first mark of a cut text would be out of view if the text were shown from its start. The text is
 * the closest element with `dir` around `content`. It is measured before the first paint and when its width changes.
 */
export function useHiddenMark(content: RefObject<HTMLElement | null>): boolean {
  /** The width at which the mark is out of view; null while the text is shown from its start. */
  const [width, setWidth] = useState<number | null>(null)
  useLayoutEffect(() => {
    const box = content.current?.closest('[dir]')
    if (!box) return
    const measure = () => {
      if (width === null && hidesMark(box)) setWidth(box.clientWidth)
      if (width !== null && width !== box.clientWidth) setWidth(null)
    }
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(box)
    return () => observer.disconnect()
  }, [content, width])
  return width !== null
}

function hidesMark(box: Element): boolean {
  const mark = Array.from(box.querySelector('mark')?.getClientRects() ?? []).at(-1)
  if (!mark || box.scrollHeight <= box.clientHeight) return false
  const { left, right, bottom } = box.getBoundingClientRect()
  if (mark.bottom > bottom + 1) return true
  const isLastLine = mark.bottom > bottom - mark.height
  const rest = getComputedStyle(box).direction === 'rtl' ? mark.left - left : right - mark.right
  return isLastLine && rest < ELLIPSIS
}
