import { NonIdealState } from '@blueprintjs/core'
import type { ReactElement } from 'react'

export interface EmptyStateProps {
  title: string
  description?: string
  icon?: ReactElement
  /** What to do next. */
  action?: ReactElement
}

/** What stands where there is nothing to show. */
export function EmptyState({ title, description, icon, action }: EmptyStateProps) {
  return (
    <NonIdealState
      layout="vertical"
      iconMuted
      title={title}
      description={description}
      icon={icon}
      action={action}
    />
  )
}
