import { Button, Card, type Place, usePlaceLeft } from '@iodine/ui'
import { useEffect, useRef } from 'react'
import styles from './RemovedCard.module.css'

/** The placeholder of a deleted narrative. */
export interface RemovedNarrative extends Place {
  /** Height of its card in pixels. */
  height: number
}

export interface RemovedCardProps {
  removed: RemovedNarrative
  onUndo: () => void
  /** Called once the placeholder may be removed. */
  onLeave: () => void
}

/** The placeholder of a deleted narrative. Its button is at a position where cards have none. */
export function RemovedCard({ removed, onUndo, onLeave }: RemovedCardProps) {
  const card = useRef<HTMLDivElement>(null)
  usePlaceLeft(card, onLeave)
  useEffect(() => {
    // The focused Delete button was removed with its card.
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
