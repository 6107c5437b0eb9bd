import styles from './Legend.module.css'

/** A legend of the colours, and a hint on pointer actions. */
export const Legend = () => (
  <div className={styles.legend} data-toasts-above>
    <ul className={styles.items} aria-label="Legend">
      <li>
        <span className={`${styles.dot} ${styles.entity}`} /> Entity
      </li>
      <li>
        <span className={`${styles.dot} ${styles.verb}`} /> Verb
      </li>
      <li>
        <span className={`${styles.line} ${styles.subjectLink}`} /> Subject → verb
      </li>
      <li>
        <span className={`${styles.line} ${styles.objectLink}`} /> Verb → object
      </li>
      <li>
        <span className={`${styles.dot} ${styles.selected}`} /> Selected node
      </li>
    </ul>
    <p className={styles.hint}>Click to select, drag to move, scroll to zoom</p>
  </div>
)
