import { type Evidence, firstWords, LIMITS, lastWords } from '@iodine/contracts'
import styles from './evidence.module.css'

/** Quotes with more characters scroll, and are focusable so that the keyboard scrolls them. */
const LONG_QUOTE = 300

/** Returns whether the context was truncated: it has the maximum length, or one less to keep a surrogate pair whole. */
const isCut = (context: string): boolean => context.length >= LIMITS.quoteContextMax - 1

const before = (prefix: string): string =>
  isCut(prefix) ? `…${lastWords(prefix, prefix.length - 1)}` : prefix
const after = (suffix: string): string =>
  isCut(suffix) ? `${firstWords(suffix, suffix.length - 1)}…` : suffix

/**
 * A quote within its context, which is cut between words. Each part is isolated, so that its text direction does not
 * reorder the others. The parts are rendered as text, never as HTML.
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
