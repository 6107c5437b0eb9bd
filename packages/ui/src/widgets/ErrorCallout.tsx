import { Button, Callout } from '@blueprintjs/core'
import type { ReactNode } from 'react'
import { RefreshIcon } from '../icons'
import styles from './ErrorCallout.module.css'

export interface ErrorCalloutProps {
  /** What failed. */
  title: string
  /** Advice for the user. */
  children?: ReactNode
  onRetry?: () => void
  retrying?: boolean
}

/** An error message in place of content that could not be loaded. */
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
