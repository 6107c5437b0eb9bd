import styles from './Legend.module.css'

type LegendItem = readonly [label: string, look: 'dot' | 'line', color: string | undefined]

/** Colours of accounts by type. */
const ACCOUNTS: Record<string, LegendItem> = {
  tiktok: ['TikTok account', 'dot', styles.entity],
  telegram: ['Telegram channel', 'dot', styles.verb],
  blog: ['Blog', 'dot', styles.third],
  account: ['Account', 'dot', styles.entity],
}

const Legend = ({ items, hint }: { items: readonly LegendItem[]; hint: string }) => (
  <div className={styles.legend} data-toasts-above>
    <ul className={styles.items} aria-label="Legend">
      {items.map(([label, look, color]) => (
        <li key={label}>
          <span className={`${styles[look]} ${color}`} /> {label}
        </li>
      ))}
    </ul>
    <p className={styles.hint}>{hint}</p>
  </div>
)

/** The colours of the graph of triplets, and a hint on pointer actions. */
export const TripletLegend = () => (
  <Legend
    items={[
      ['Entity', 'dot', styles.entity],
      ['Verb', 'dot', styles.verb],
      ['Subject → verb', 'line', styles.subjectLink],
      ['Verb → object', 'line', styles.objectLink],
      ['Selected node', 'dot', styles.selected],
    ]}
    hint="Click to select, drag to move, scroll to zoom"
  />
)

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
