import { Card, Classes } from '@blueprintjs/core'
import { useElapsed } from '../hooks/use-elapsed'
import styles from './SkeletonCards.module.css'

const SHOW_AFTER_MS = 150

export interface SkeletonCardsProps {
  /** Number of cards. */
  count: number
  /** Lines of text in each; default 4. */
  lines?: number
  /** The class that lays out the real cards. */
  className?: string | undefined
}

/** A skeleton of cards. Hidden from assistive technology, which reads the spinner's label. */
export function SkeletonCards({ count, lines = 4, className }: SkeletonCardsProps) {
  const isShown = useElapsed(SHOW_AFTER_MS)
  if (!isShown) return null
  return (
    <div className={className} aria-hidden>
      {range(count).map(card => (
        <Card key={card} className={styles.card}>
          <div className={`${styles.title} ${Classes.SKELETON}`} />
          {range(lines).map(line => (
            <div key={line} className={`${styles.line} ${Classes.SKELETON}`} />
          ))}
        </Card>
      ))}
    </div>
  )
}

const range = (length: number) => Array.from({ length }, (_, n) => n)
