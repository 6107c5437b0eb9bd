import { isSelecting } from '@iodine/mfe-kit'
import { Link } from '@iodine/ui/router'
import type { ReactNode } from 'react'
import styles from './IodLink.module.css'
import { LINK } from './panel-focus'
import { usePanel } from './use-panel'

export interface IodLinkProps {
  id: string
  tabIndex?: number
  children: ReactNode
}

/** A link that opens an IOD's side panel. Its text can be selected. */
export function IodLink({ id, ...anchor }: IodLinkProps) {
  const { openId, targetOf } = usePanel()
  return (
    <Link
      {...anchor}
      {...targetOf(id)}
      {...{ [LINK]: id }}
      className={styles.link}
      aria-current={openId === id || undefined}
      draggable={false}
      onClick={event => isSelecting(event) && event.preventDefault()}
    />
  )
}
