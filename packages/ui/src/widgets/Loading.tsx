import { Spinner } from '@blueprintjs/core'
import { useElapsed } from '../hooks/use-elapsed'
import styles from './Loading.module.css'

const SHOW_AFTER_MS = 150

export interface LoadingProps {
  /** Default 'Loading...'. */
  label?: string
  /** Delay of the spinner in milliseconds; default 150, so that fast responses show none. */
  delay?: number
}

/** A spinner with its label. */
export function Loading({ label, delay = SHOW_AFTER_MS }: LoadingProps) {
  return (
    <div className={styles.loading} role="status">
      {useElapsed(delay) && (
        <>
          <Spinner size={32} aria-hidden />
          {label === undefined ? <span lang="en">Loading...</span> : <span>{label}</span>}
        </>
      )}
    </div>
  )
}
