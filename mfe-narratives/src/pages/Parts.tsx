import type { CanonicalNarrative, CanonPart } from '@iodine/contracts'
import palette from './NarrativesPage.module.css'
import styles from './Parts.module.css'

/** Subject, verb and object of a canonical narrative, each with the number of its other variants. */
export function Parts({ narrative }: { narrative: Pick<CanonicalNarrative, CanonPart> }) {
  return (
    <span className={styles.parts}>
      {(['subject', 'verb', 'object'] as const).map(part => {
        const { label, members } = narrative[part]
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
