import { Button, Card } from '@iodine/ui'
import { CrossIcon } from '@iodine/ui/icons'
import type { ReactNode } from 'react'
import styles from './DetailCard.module.css'

export interface FactsCardProps {
  className?: string | undefined
  /** Accessible name of the card. */
  label: string
  title: string
  facts: readonly (readonly [term: string, value: ReactNode])[]
  onClose: () => void
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
      <dl className={styles.facts}>
        {facts.flatMap(([term, value]) => [
          <dt key={term}>{term}</dt>,
          <dd key={`${term} value`}>{value}</dd>,
        ])}
      </dl>
      {children}
    </Card>
  )
}
