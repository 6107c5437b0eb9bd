import { Link } from '@iodine/ui/router'
import type { MouseEvent, ReactNode } from 'react'
import styles from './IodLink.module.css'
import { usePanel } from './use-panel'

const ATTRIBUTE = 'data-iod'

/** Focuses the row of an IOD, or where it is not on screen, the table. */
export function focusRow(id: string): void {
  const link = document.querySelector<HTMLElement>(`td [${ATTRIBUTE}="${CSS.escape(id)}"]`)
  const row = link?.closest<HTMLElement>('tr[tabindex]') ?? link
  const table = document.querySelector<HTMLElement>('section[tabindex]:has(> table)')
  ;(row ?? table)?.focus()
}

export interface IodLinkProps {
  id: string
  className?: string | undefined
  children: ReactNode
}

/** A link that opens an IOD's side panel. Its text can be selected. */
export function IodLink({ id, className = '', children }: IodLinkProps) {
  const { openId, addressOf } = usePanel()
  const keepSelection = (event: MouseEvent) => {
    if (!window.getSelection()?.isCollapsed) event.preventDefault()
  }
  return (
    <Link
      {...addressOf(id)}
      {...{ [ATTRIBUTE]: id }}
      className={`${styles.link} ${className}`}
      aria-current={openId === id || undefined}
      draggable={false}
      onClick={keepSelection}
    >
      {children}
    </Link>
  )
}
