import { formatAmount, formatCount } from '@iodine/ui'
import { Fragment } from 'react'
import type { GraphQuery } from '../model/filters'
import { useMentions } from '../queries/narratives'
import styles from './DetailCard.module.css'
import { Sentence, SentenceList } from './Sentence'

export interface MentionsProps {
  /** Id of the node. */
  node: string
  /** The filters of the displayed graph. */
  filters: GraphQuery
}

/** The triplets of a node by narrative, each with its sentence. */
export function Mentions({ node, filters }: MentionsProps) {
  const query = useMentions(node, filters)
  const { total } = query
  return (
    <SentenceList
      query={query}
      title="Triplets"
      total={total !== null && ` in ${formatAmount(total, 'narrative')}`}
      errorTitle="Unable to load triplets"
      empty="No narrative contains this node any more. Refresh the graph."
    >
      {({ id: narrative, src, triplets, omitted }) => (
        <Fragment key={narrative}>
          {triplets.map(({ id, subject, verb, object, times, sentence, place }) => (
            <li key={id}>
              <span className={styles.triplet}>
                <span className={styles.entity}>{subject}</span> <span className={styles.verb}>{verb}</span>{' '}
                <span className={styles.entity}>{object}</span>
                {times > 1 && <span className={styles.more}> ×{times}</span>}
              </span>
              <Sentence narrative={narrative} src={src} sentence={sentence} place={place} />
            </li>
          ))}
          {omitted > 0 && <li className={styles.more}>and {formatCount(omitted)} more in this narrative</li>}
        </Fragment>
      )}
    </SentenceList>
  )
}
