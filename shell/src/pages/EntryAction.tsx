import { type ReactNode, useEffect } from 'react'
import styles from './EntryAction.module.css'

export interface EntryActionProps {
  /** The heading and the title of the browser tab. It receives the focus when it replaces focused content. */
  title: string
  children: ReactNode
  actions: ReactNode
}

/** A statement or a question with its buttons, as the content of an `EntryLayout`. */
export function EntryAction({ title, children, actions }: EntryActionProps) {
  useEffect(() => {
    document.title = title
  }, [title])
  return (
    <div className={styles.page}>
      <h1 className={styles.title} tabIndex={-1} ref={focus}>
        {title}
      </h1>
      {children}
      <div className={styles.actions}>{actions}</div>
    </div>
  )
}

const focus = (heading: HTMLElement | null) => heading?.focus()
