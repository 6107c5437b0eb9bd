import { Button, Card, formatCount } from '@iodine/ui'
import { CrossIcon } from '@iodine/ui/icons'
import type { ReactNode } from 'react'
import styles from './DetailCard.module.css'

export interface DetailCardProps {
  className?: string | undefined
  /** Accessible name of the card. */
  label: string
  title: string
  type: ReactNode
  count: number
  sources: readonly string[]
  onClose: () => void
  /** Details specific to this kind of selection. */
  children: ReactNode
}

const SOURCES_MAX = 3

/** The details of the selected node or link. */
export function DetailCard({
  className,
  label,
  title,
  type,
  count,
  sources,
  onClose,
  children,
}: DetailCardProps) {
  const rest = sources.length - SOURCES_MAX
  return (
    <Card className={`${styles.card} ${className ?? ''}`} role="region" aria-label={label} elevation={2}>
      <header className={styles.header}>
        <h2 className={styles.title}>{title}</h2>
        <Button
          variant="minimal"
          size="small"
          icon={<CrossIcon />}
          aria-label="Clear selection"
          onClick={onClose}
        />
      </header>
      <dl className={styles.facts}>
        <dt>Type</dt>
        <dd>{type}</dd>
        <dt>Count</dt>
        <dd>{formatCount(count)}</dd>
        <dt>Sources</dt>
        <dd>
          {sources.length === 0 && 'none'}
          {sources.slice(0, SOURCES_MAX).map(source => (
            <div key={source} className={styles.source} title={source}>
              {source}
            </div>
          ))}
          {rest > 0 && <div>and {rest} more</div>}
        </dd>
      </dl>
      {children}
    </Card>
  )
}
