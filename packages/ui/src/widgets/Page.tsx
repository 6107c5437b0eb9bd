import type { ReactNode } from 'react'
import styles from './Page.module.css'

/** The content column of a page, up to 1440 px wide. */
export function Page({ children, narrow = false }: { children: ReactNode; narrow?: boolean }) {
  return <div className={narrow ? `${styles.page} ${styles.narrow}` : styles.page}>{children}</div>
}
