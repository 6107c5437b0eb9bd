import type { TextPlace } from '@iodine/contracts'
import { paths, SectionLink } from '@iodine/mfe-kit'
import { SourceLink } from '@iodine/ui'
import styles from './DetailCard.module.css'

export interface SentenceProps {
  /** Id of the narrative. */
  narrative: string
  src: string | null
  sentence: string
  place: TextPlace
}

/** A sentence that links to its position in the narrative, and its source. */
export function Sentence({ narrative, src, sentence, place }: SentenceProps) {
  return (
    <>
      <SectionLink
        className={styles.sentence}
        to={paths.narrative(narrative, place)}
        title="Open the narrative"
      >
        <q>{sentence}</q>
      </SectionLink>
      {src && (
        <span className={styles.more}>
          <SourceLink source={src} />
        </span>
      )}
    </>
  )
}
