import type { CanonPart } from '@iodine/contracts'
import palette from './NarrativesPage.module.css'
import styles from './Parts.module.css'

export interface PartsProps {
  /** `members` is the number of variants, default 1. */
  parts: Readonly<Record<CanonPart, { label: string; members?: number }>>
}

/** Subject, verb and object, each with the number of its other variants. */
export function Parts({ parts }: PartsProps) {
  return (
    <span className={styles.parts}>
      {(['subject', 'verb', 'object'] as const).map(part => {
        const { label, members = 1 } = parts[part]
        return (
          <span key={part} className={styles.part}>
            <bdi className={palette[part]} title={`${label} (${part})`}>
              {label}
            </bdi>{' '}
            {members > 1 && (
              <span
                className={styles.more}
                title={members === 2 ? '1 more variant' : `${members - 1} more variants`}
              >
                +{members - 1}
              </span>
            )}{' '}
          </span>
        )
      })}
    </span>
  )
}
