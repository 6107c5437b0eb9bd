import { Card } from '@iodine/ui'
import type { ReactNode } from 'react'
import styles from './Profile.module.css'

/** A card of My Profile: its title, an explanation and the content. */
export function ProfileCard({
  title,
  tag,
  about,
  children,
}: {
  title: string
  /** Shown beside the title. */
  tag?: ReactNode
  about?: ReactNode
  children: ReactNode
}) {
  return (
    <Card className={styles.card}>
      <div className={styles.row}>
        <h2 className={styles.cardTitle}>{title}</h2>
        {tag}
      </div>
      {about && <p className={styles.muted}>{about}</p>}
      {children}
    </Card>
  )
}
