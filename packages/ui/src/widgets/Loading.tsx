import { Spinner } from '@blueprintjs/core'
import { useElapsed } from '../hooks/use-elapsed'
import styles from './Loading.module.css'

const SHOW_AFTER_MS = 150

export interface LoadingProps {
  /** Default 'Loading...'. */
  label?: string
  /** Delay of the spinner in milliseconds; default 150, so that fast responses show none. */
  delay?: number
  /** Whether the spinner is as high as a button, in place of content of one line. */
  compact?: boolean
}

/** A spinner with its label. */
export function Loading({ label, delay = SHOW_AFTER_MS, compact = false }: LoadingProps) {
  return (
    <div className={compact ? `${styles.loading} ${styles.compact}` : styles.loading} role="status">
      {useElapsed(delay) && (
        <>
          <Spinner size={compact ? 20 : 32} aria-hidden />
          {label === undefined ? <span lang="en">Loading...</span> : <span>{label}</span>}
        </>
      )}
    </div>
  )
}
