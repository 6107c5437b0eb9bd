import { Card } from '@iodine/ui'
import type { ReactNode, Ref } from 'react'
import styles from './SummaryBlock.module.css'

export interface SummaryBlockProps {
  title: string
  /** Shown beside the title. */
  action?: ReactNode
  /** Receives the focus when a focused button in the block is removed. */
  ref?: Ref<HTMLDivElement>
  children: ReactNode
}

/** A titled part of a campaign's summary. */
export function SummaryBlock({ title, action, ref, children }: SummaryBlockProps) {
  return (
    <Card ref={ref} className={styles.block} role="region" aria-label={title} tabIndex={ref ? -1 : undefined}>
      <div className={styles.heading}>
        <h3 className={styles.title}>{title}</h3>
        {action}
      </div>
      {children}
    </Card>
  )
}
