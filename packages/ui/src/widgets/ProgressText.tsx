import { ProgressBar } from '@blueprintjs/core'
import type { ReactNode } from 'react'
import styles from './ProgressText.module.css'

export interface ProgressTextProps {
  /** From 0 to 1. */
  value: number
  /** Accessible name of the bar. */
  label: string
  /** Shown below the bar. */
  children: ReactNode
}

/** A progress bar with a text. */
export const ProgressText = ({ value, label, children }: ProgressTextProps) => (
  <>
    <ProgressBar value={value} intent="primary" stripes={false} aria-label={label} />
    <p className={styles.text}>{children}</p>
  </>
)
