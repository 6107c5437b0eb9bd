import { Spinner } from '@blueprintjs/core'
import { useEffect, useState } from 'react'
import styles from './Loading.module.css'

const SHOW_AFTER_MS = 150

export interface LoadingProps {
  label?: string
  /** Milliseconds before anything shows: what is quick should not flicker. */
  delay?: number
}

/** A spinner with its label. */
export function Loading({ label = 'Loading...', delay = SHOW_AFTER_MS }: LoadingProps) {
  const [shown, setShown] = useState(delay === 0)
  useEffect(() => {
    const timer = setTimeout(() => setShown(true), delay)
    return () => clearTimeout(timer)
  }, [delay])
  return (
    <div className={styles.loading} role="status">
      {shown && (
        <>
          <Spinner size={32} aria-hidden />
          <span>{label}</span>
        </>
      )}
    </div>
  )
}
