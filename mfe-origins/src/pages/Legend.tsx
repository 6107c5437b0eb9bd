import type { Match } from '@iodine/contracts'
import { formatCount } from '@iodine/ui'
import { STRIKE, shapeOf } from '../model/painter'
import { KINDS, MATCH_LABELS, type SearchResult } from '../model/sightings'
import styles from './Legend.module.css'

/** A legend of the timeline's marks, with the number of occurrences of each kind of match. */
export function Legend({ found }: { found: SearchResult }) {
  const { by_match } = found.counts
  const shared = found.items.some(({ own }) => !own)
  return (
    <ul className={styles.legend} aria-label="Legend">
      {KINDS.filter(kind => (by_match[kind] ?? 0) > 0).map(kind => (
        <li key={kind}>
          <Shape kind={kind} className={styles.own} />
          {MATCH_LABELS[kind]} ({formatCount(by_match[kind] ?? 0)})
        </li>
      ))}
      <li>
        <Shape kind="exact" className={styles.own} /> time claimed by the page
      </li>
      <li>
        <Shape kind="exact" className={styles.hollow} /> collection time, may be earlier
      </li>
      {found.items.some(({ edited }) => edited) && (
        <li>
          <svg className={styles.shape} viewBox="-10 -10 20 20" aria-hidden="true">
            <path className={styles.own} d={shapeOf('exact')} transform="translate(0 -2)" />
            <rect className={styles.bar} x={-6} y={7} width={12} height={2} />
          </svg>
          edited
        </li>
      )}
      {found.items.some(({ removed_at }) => removed_at) && (
        <li>
          <svg className={styles.shape} viewBox="-10 -10 20 20" aria-hidden="true">
            <path className={styles.own} d={shapeOf('exact')} />
            <path className={styles.strike} d={STRIKE} />
          </svg>
          removed
        </li>
      )}
      {shared && (
        <li>
          <Shape kind="exact" className={styles.shared} /> shared by others
        </li>
      )}
      {found.edges.length > 0 && (
        <li>
          <svg className={styles.line} viewBox="0 0 24 10" aria-hidden="true">
            <path d="M0 5H24" />
          </svg>
          forward or link, according to the page
        </li>
      )}
      {found.edges.some(({ how }) => how === 'copy') && (
        <li>
          <svg className={styles.line} viewBox="0 0 24 10" aria-hidden="true">
            <path d="M0 5H24" strokeDasharray="3 4" />
          </svg>
          seen earlier
        </li>
      )}
    </ul>
  )
}

const Shape = ({ kind, className }: { kind: Match; className: string | undefined }) => (
  <svg className={styles.shape} viewBox="-10 -10 20 20" aria-hidden="true">
    <path className={className} d={shapeOf(kind)} />
  </svg>
)
