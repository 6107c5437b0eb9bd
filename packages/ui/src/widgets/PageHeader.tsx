import { type ReactNode, useEffect } from 'react'
import styles from './PageHeader.module.css'

export interface PageHeaderProps {
  title: string
  subtitle?: ReactNode
  /** Buttons, on the right. */
  actions?: ReactNode
}

/** The head of a page. Its title is the page's h1 and the title of the browser tab. */
export function PageHeader({ title, subtitle, actions }: PageHeaderProps) {
  useEffect(() => {
    document.title = title
  }, [title])
  return (
    <header className={styles.header}>
      <div className={styles.text}>
        <h1 className={styles.title}>{title}</h1>
        {subtitle && <p className={styles.subtitle}>{subtitle}</p>}
      </div>
      {actions && <div className={styles.actions}>{actions}</div>}
    </header>
  )
}
