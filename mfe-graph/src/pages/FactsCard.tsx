import { Button, Card, Facts, type FactsProps } from '@iodine/ui'
import { CrossIcon } from '@iodine/ui/icons'
import type { ReactNode } from 'react'
import styles from './DetailCard.module.css'
import type { CardSlot } from './GraphView'

export interface FactsCardProps extends FactsProps, Pick<CardSlot, 'onClose'> {
  /** Accessible name of the card. */
  label: string
  title: string
  /** Details specific to this kind of selection. */
  children: ReactNode
}

/** A card of the selected node or link: its facts and details. */
export function FactsCard({ className, label, title, facts, onClose, children }: FactsCardProps) {
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
      <Facts className={styles.facts} facts={facts} />
      {children}
    </Card>
  )
}

const SOURCES_MAX = 3

/** The first sources of a triplet node or link. */
export function Sources({ sources }: { sources: readonly string[] }) {
  const rest = sources.length - SOURCES_MAX
  return (
    <>
      {sources.length === 0 && 'none'}
      {sources.slice(0, SOURCES_MAX).map(source => (
        <div key={source} className={styles.source} title={source}>
          {source}
        </div>
      ))}
      {rest > 0 && <div>and {rest} more</div>}
    </>
  )
}
