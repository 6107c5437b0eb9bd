import { Button, Callout } from '@blueprintjs/core'
import type { ReactNode } from 'react'
import { RefreshIcon } from '../icons'
import styles from './ErrorCallout.module.css'

export interface ErrorCalloutProps {
  /** Says what failed. */
  title: string
  /** Says what can be done about it. */
  children?: ReactNode
  onRetry?: () => void
  retrying?: boolean
}

/** A failure, in the place of what could not be shown. */
export function ErrorCallout({ title, children, onRetry, retrying = false }: ErrorCalloutProps) {
  return (
    <div role="alert">
      <Callout intent="danger" icon={false}>
        <p className={styles.title}>{title}</p>
        {children}
        {onRetry && (
          <div className={styles.actions}>
            <Button icon={<RefreshIcon />} text="Retry" onClick={onRetry} loading={retrying} />
          </div>
        )}
      </Callout>
    </div>
  )
}
