import { formatCount, LoadingPanel, LoadMore } from '@iodine/ui'
import type { Filters } from '../model/filters'
import { useMentions } from '../queries/mentions'
import styles from './DetailCard.module.css'
import { Sentence } from './Sentence'

export interface MentionsProps {
  /** Id of the node. */
  node: string
  /** The filters of the displayed graph. */
  filters: Partial<Filters>
}

/** The triplets of a node by narrative, each with its sentence. */
export function Mentions({ node, filters }: MentionsProps) {
  const query = useMentions(node, filters)
  const { total } = query
  return (
    <>
      <h3 className={styles.subtitle}>
        Triplets{total !== null && ` in ${formatCount(total)} ${total === 1 ? 'narrative' : 'narratives'}`}
      </h3>
      <LoadingPanel
        query={query}
        errorTitle="Unable to load triplets"
        empty={<p className={styles.more}>No narrative contains this node any more. Refresh the graph.</p>}
      >
        {mentions => (
          <>
            <ul className={styles.texts} aria-label="Triplets">
              {mentions.flatMap(({ id: narrative, src, triplets, omitted }) => [
                ...triplets.map(({ id, subject, verb, object, times, sentence, place }) => (
                  <li key={`${narrative} ${id}`}>
                    <span className={styles.triplet}>
                      <span className={styles.entity}>{subject}</span>{' '}
                      <span className={styles.verb}>{verb}</span>{' '}
                      <span className={styles.entity}>{object}</span>
                      {times > 1 && <span className={styles.more}> ×{times}</span>}
                    </span>
                    <Sentence narrative={narrative} src={src} sentence={sentence} place={place} />
                  </li>
                )),
                ...(omitted > 0
                  ? [
                      <li key={narrative} className={styles.more}>
                        and {formatCount(omitted)} more in this narrative
                      </li>,
                    ]
                  : []),
              ])}
            </ul>
            <LoadMore inline query={query.more} variant="minimal" size="small" text="Show more triplets" />
          </>
        )}
      </LoadingPanel>
    </>
  )
}
