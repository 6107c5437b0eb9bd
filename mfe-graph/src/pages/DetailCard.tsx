import { formatCount } from '@iodine/ui'
import type { ReactNode } from 'react'
import styles from './DetailCard.module.css'
import { FactsCard } from './FactsCard'

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

/** The details of the selected triplet node or link. */
export function DetailCard({ type, count, sources, ...card }: DetailCardProps) {
  const rest = sources.length - SOURCES_MAX
  const sourceText = (
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
  return (
    <FactsCard
      {...card}
      facts={[
        ['Type', type],
        ['Count', formatCount(count)],
        ['Sources', sourceText],
      ]}
    />
  )
}
