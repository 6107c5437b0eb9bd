import styles from './Legend.module.css'

const TYPES: Record<string, { label: string; style: string | undefined }> = {
  tiktok: { label: 'TikTok account', style: styles.entity },
  telegram: { label: 'Telegram channel', style: styles.verb },
  blog: { label: 'Blog', style: styles.third },
  account: { label: 'Account', style: styles.entity },
}

/** A legend of the colours of accounts, and a hint on pointer actions. */
export const CoShareLegend = ({ types }: { types: readonly string[] }) => (
  <div className={styles.legend} data-toasts-above>
    <ul className={styles.items} aria-label="Legend">
      {Object.entries(TYPES)
        .filter(([type]) => types.includes(type))
        .map(([type, { label, style }]) => (
          <li key={type}>
            <span className={`${styles.dot} ${style}`} /> {label}
          </li>
        ))}
      <li>
        <span className={`${styles.line} ${styles.subjectLink}`} /> Co-shares
      </li>
      <li>
        <span className={`${styles.line} ${styles.objectLink}`} /> Significant co-shares
      </li>
      <li>
        <span className={`${styles.dot} ${styles.selected}`} /> Selected account
      </li>
    </ul>
    <p className={styles.hint}>Click a line for its posts, drag to move, scroll to zoom</p>
  </div>
)
