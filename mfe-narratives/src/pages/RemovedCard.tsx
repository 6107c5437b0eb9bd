import { Button, Card, useLatest } from '@iodine/ui'
import { useEffect, useRef } from 'react'
import type { Removed } from '../model/removed'
import styles from './RemovedCard.module.css'

/** Movements of the pointer in pixels that count as none: a hand trembles. */
const STILL = 4

export interface RemovedCardProps {
  removed: Removed
  onUndo: () => void
  /** Called once the place may go. */
  onLeave: () => void
}

/**
 * Keeps the place of a deleted narrative, so that nothing comes under a pointer that does not move: a second
 * click on the same spot would delete the next one. It may go when a mouse has left it, when the keyboard's focus
 * is elsewhere, or when it is out of sight; after a tap, only then. Its button stands where no card has one.
 */
export function RemovedCard({ removed, onUndo, onLeave }: RemovedCardProps) {
  const card = useRef<HTMLDivElement>(null)
  const leave = useLatest(onLeave)
  useEffect(() => {
    const element = card.current
    if (!element) return
    // The focus was on the button that deleted.
    if (document.activeElement === document.body)
      element.querySelector('button')?.focus({ preventScroll: true })
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
  }, [leave])
  return (
    <Card
      ref={card}
      className={styles.card}
      role="group"
      aria-label="Deleted narrative"
      style={{ height: removed.height }}
    >
      <span className={styles.text}>Deleted</span>
      <Button variant="minimal" size="small" intent="primary" text="Undo" onClick={onUndo} />
    </Card>
  )
}
