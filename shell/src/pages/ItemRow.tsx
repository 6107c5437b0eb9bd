import type { ReactNode } from 'react'
import styles from './ItemRow.module.css'

export interface ItemRowProps {
  icon: ReactNode
  name: ReactNode
  /** Shown beside the name. */
  tag?: ReactNode
  about: ReactNode
  actions?: ReactNode
}

/** A row of a list on a card of My Profile, a child of `ItemRows`. */
export function ItemRow({ icon, name, tag, about, actions }: ItemRowProps) {
  return (
    <li className={styles.row}>
      <span className={styles.icon}>{icon}</span>
      <div className={styles.about}>
        <span className={styles.name}>
          <bdi>{name}</bdi>
          {tag}
        </span>
        <span className={styles.muted}>{about}</span>
      </div>
      {actions && <div className={styles.actions}>{actions}</div>}
    </li>
  )
}

export function ItemRows({ children }: { children: ReactNode }) {
  return <ul className={styles.rows}>{children}</ul>
}
