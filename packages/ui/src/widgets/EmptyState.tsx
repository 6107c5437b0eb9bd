import { NonIdealState } from '@blueprintjs/core'
import type { ReactElement } from 'react'
import styles from './EmptyState.module.css'

export interface EmptyStateProps {
  title: string
  description?: string
  icon?: ReactElement
  /** A button for the next step. */
  action?: ReactElement
}

/** Placeholder for empty content. Its title is not a heading, because the heading level depends on the page. */
export function EmptyState({ title, description, icon, action }: EmptyStateProps) {
  return (
    <NonIdealState
      layout="vertical"
      iconMuted
      icon={icon}
      action={action}
      description={
        <>
          <p className={styles.title}>{title}</p>
          {description && <p>{description}</p>}
        </>
      }
    />
  )
}
