import type { TextPlace } from '@iodine/contracts'
import { paths, SectionLink } from '@iodine/mfe-kit'
import type { PagedQuery } from '@iodine/mfe-kit/query'
import { LoadingPanel, LoadMore, SourceLink } from '@iodine/ui'
import type { ReactNode } from 'react'
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

interface SentenceListProps<T> {
  query: PagedQuery<{ items: T[]; nextCursor: string | null }>
  title: string
  /** Shown after the title. */
  total: ReactNode
  errorTitle: string
  empty: string
  /** Renders an item as list items. */
  children: (item: T) => ReactNode
}

/** A titled, paginated list of sentences. */
export function SentenceList<T>({ query, title, total, errorTitle, empty, children }: SentenceListProps<T>) {
  return (
    <>
      <h3 className={styles.subtitle}>
        {title}
        {total}
      </h3>
      <LoadingPanel query={query} errorTitle={errorTitle} empty={<p className={styles.more}>{empty}</p>}>
        {items => (
          <>
            <ul className={styles.texts} aria-label={title}>
              {items.map(children)}
            </ul>
            <LoadMore
              inline
              query={query.more}
              variant="minimal"
              size="small"
              text={`Show more ${title.toLowerCase()}`}
            />
          </>
        )}
      </LoadingPanel>
    </>
  )
}
