import { Button, Callout } from '@blueprintjs/core'
import type { ReactNode } from 'react'
import { errorHint } from '../api-error'
import { RefreshIcon } from '../icons'
import styles from './ErrorCallout.module.css'

export interface ErrorCalloutProps {
  title: string
  error?: unknown
  /** Advice for the user; by default `errorHint` of the error. */
  children?: ReactNode
  onRetry?: () => void
  retrying?: boolean
}

/** An error message that replaces content that failed to load. */
export function ErrorCallout({ title, error, children, onRetry, retrying = false }: ErrorCalloutProps) {
  return (
    <div role="alert">
      <Callout intent="danger" icon={false}>
        <p className={styles.title}>{title}</p>
        {children ?? <span lang="en">{errorHint(error)}</span>}
        {onRetry && (
          <div className={styles.actions}>
            <Button icon={<RefreshIcon />} text="Retry" lang="en" onClick={onRetry} loading={retrying} />
          </div>
        )}
      </Callout>
    </div>
  )
}
