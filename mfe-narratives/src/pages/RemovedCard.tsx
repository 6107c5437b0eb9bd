import { Button, Card, type Place, usePlaceLeft } from '@iodine/ui'
import { useEffect, useRef } from 'react'
import styles from './RemovedCard.module.css'

/** A deleted narrative whose place in the list is kept. */
export interface Removed extends Place {
  /** Height of its card in pixels. */
  height: number
}

export interface RemovedCardProps {
  removed: Removed
  onUndo: () => void
  /** Called once the place may go. */
  onLeave: () => void
}

/** The place of a deleted narrative. Its button stands where no card has one. */
export function RemovedCard({ removed, onUndo, onLeave }: RemovedCardProps) {
  const card = useRef<HTMLDivElement>(null)
  usePlaceLeft(card, onLeave)
  useEffect(() => {
    // The focus was on the button that deleted.
    if (document.activeElement === document.body)
      card.current?.querySelector('button')?.focus({ preventScroll: true })
  }, [])
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
