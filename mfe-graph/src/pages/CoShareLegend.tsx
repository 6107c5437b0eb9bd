import { Legend, type LegendItem } from './Legend'
import styles from './Legend.module.css'

/** Colours of accounts by type. */
const ACCOUNTS: Record<string, LegendItem> = {
  tiktok: ['TikTok account', 'dot', styles.entity],
  telegram: ['Telegram channel', 'dot', styles.verb],
  blog: ['Blog', 'dot', styles.third],
  post: ['Account of another platform', 'dot', styles.fourth],
  account: ['Account', 'dot', styles.entity],
}

/** The colours of the graph of co-shares, and a hint on pointer actions. */
export const CoShareLegend = ({ types }: { types: readonly string[] }) => (
  <Legend
    items={[
      ...Object.entries(ACCOUNTS).flatMap(([type, item]) => (types.includes(type) ? [item] : [])),
      ['Co-shares', 'line', styles.subjectLink],
      ['Significant co-shares', 'line', styles.objectLink],
      ['Selected account', 'dot', styles.selected],
    ]}
    hint="Click a line for its posts, drag to move, scroll to zoom"
  />
)
