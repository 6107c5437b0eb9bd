import { Card } from '@iodine/ui'
import type { ReactNode } from 'react'
import { useShell } from '../app/HostProvider'
import styles from './EntryLayout.module.css'

/** A centred card, the layout of the pages before the dashboard. */
export function EntryLayout({ children }: { children: ReactNode }) {
  const { config } = useShell()
  return (
    <main className={styles.screen}>
      <Card className={styles.card} elevation={1}>
        <p className={styles.brand}>
          <img src="/icon.svg" alt="" width={32} height={32} />
          {config.product_name}
        </p>
        {children}
      </Card>
    </main>
  )
}
