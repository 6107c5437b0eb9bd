import { useQuery } from '@iodine/mfe-kit/query'
import { LoadingPanel } from '@iodine/ui'
import { compareTexts, type LineKind } from '../../model/compare'
import styles from './reports.module.css'

const MARKS: Record<LineKind, string> = { added: '+', removed: '−', same: '', gap: '' }
const NAMES: Partial<Record<LineKind, string>> = { added: 'Added: ', removed: 'Removed: ' }

/** The lines in which a version differs from the published one. */
export function Changes({ before, after }: { before: string; after: string }) {
  const query = useQuery({
    queryKey: ['reports', 'changes', before, after],
    queryFn: () => compareTexts(before, after),
    gcTime: 0,
  })
  return (
    <LoadingPanel
      query={query}
      errorTitle="Failed to compare the versions"
      empty={<p className={styles.note}>The text is the same.</p>}
    >
      {lines => (
        <section
          className={styles.changes}
          aria-label="Changes of the text"
          // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls it, too
          tabIndex={0}
        >
          {lines.map(({ kind, text }, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: lines may be equal, and their order never changes
            <p key={at} className={styles[kind]} dir="auto">
              <span className={styles.mark} aria-hidden>
                {MARKS[kind]}
              </span>
              {NAMES[kind] && <span className={styles.hidden}>{NAMES[kind]}</span>}
              {text}
            </p>
          ))}
        </section>
      )}
    </LoadingPanel>
  )
}
