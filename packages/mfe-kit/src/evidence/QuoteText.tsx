import type { Evidence } from '@iodine/contracts'
import styles from './evidence.module.css'

/** Longer quotes scroll, and the keyboard scrolls what has the focus. */
const LONG_QUOTE = 300

/**
 * A quote within its context. Each of the parts is isolated, so that what one holds can't turn the order of the
 * others, and nothing is ever read as HTML.
 */
export const QuoteText = ({ prefix, exact, suffix }: Pick<Evidence, 'prefix' | 'exact' | 'suffix'>) => (
  <blockquote
    className={styles.quote}
    dir="auto"
    {...(exact.length > LONG_QUOTE && { tabIndex: 0, 'aria-label': 'Quote' })}
  >
    {prefix && <span className={styles.context}>{prefix}</span>}
    <mark className={styles.exact}>{exact}</mark>
    {suffix && <span className={styles.context}>{suffix}</span>}
  </blockquote>
)
