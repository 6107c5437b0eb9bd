import { type Evidence, firstWords, LIMITS, lastWords } from '@iodine/contracts'
import styles from './evidence.module.css'

/** Longer quotes scroll, and the keyboard scrolls what has the focus. */
const LONG_QUOTE = 300

/** Context of this length is cut: of the whole length, or one less where that would halve a character. */
const isCut = (context: string): boolean => context.length >= LIMITS.quoteContextMax - 1

const before = (prefix: string): string =>
  isCut(prefix) ? `…${lastWords(prefix, prefix.length - 1)}` : prefix
const after = (suffix: string): string =>
  isCut(suffix) ? `${firstWords(suffix, suffix.length - 1)}…` : suffix

/**
 * A quote within its context, which is cut between words. Each of the parts is isolated, so that what one holds can't turn the order of the
 * others, and nothing is ever read as HTML.
 */
export const QuoteText = ({ prefix, exact, suffix }: Pick<Evidence, 'prefix' | 'exact' | 'suffix'>) => (
  <blockquote
    className={styles.quote}
    dir="auto"
    {...(exact.length > LONG_QUOTE && { tabIndex: 0, 'aria-label': 'Quote' })}
  >
    {prefix && <span className={styles.context}>{before(prefix)}</span>}
    <mark className={styles.exact}>{exact}</mark>
    {suffix && <span className={styles.context}>{after(suffix)}</span>}
  </blockquote>
)
