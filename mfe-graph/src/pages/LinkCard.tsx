import { useHost } from '@iodine/mfe-kit'
import { formatCount } from '@iodine/ui'
import { type GraphQuery, isOwnGraph } from '../model/filters'
import type { TripletNetwork } from '../model/network'
import { useTexts } from '../queries/narratives'
import styles from './DetailCard.module.css'
import { FactsCard, Sources } from './FactsCard'
import type { LinkSlot } from './GraphView'
import { Ends } from './Nodes'
import { Sentence, SentenceList } from './Sentence'

export interface LinkCardProps extends LinkSlot {
  network: TripletNetwork
  /** The filters of the displayed graph. */
  filters: GraphQuery
}

/** The details of the selected link, with the texts of its triplets. */
export function LinkCard({ className, network, link, filters, onSelect, onClose }: LinkCardProps) {
  const isOwn = isOwnGraph(filters, useHost().session.user.id)
  const data = network.links[link]!
  const ends = [network.shape.sources[link]!, network.shape.targets[link]!]
  return (
    <FactsCard
      className={className}
      label="Link details"
      title={ends.map(node => network.labels[node]).join(' → ')}
      facts={{
        Type: data.type === 'subject_to_verb' ? 'Subject → verb' : 'Verb → object',
        Count: formatCount(data.count),
        Sources: <Sources sources={data.sources} />,
      }}
      onClose={onClose}
    >
      <Ends network={network} ends={ends} onSelect={onSelect} />
      {isOwn ? (
        <Texts key={link} link={data} filters={filters} />
      ) : (
        <p className={styles.more}>Only the author can see the texts of a link.</p>
      )}
    </FactsCard>
  )
}

function Texts({ link, filters }: { link: TripletNetwork['links'][number]; filters: GraphQuery }) {
  const query = useTexts(link, filters)
  const { total } = query
  return (
    <SentenceList
      query={query}
      title="Texts"
      total={total !== null && ` (${formatCount(total)})`}
      errorTitle="Unable to load narratives"
      empty="No text contains this link any more. Refresh the graph."
    >
      {({ id, ...sentence }) => (
        <li key={id}>
          <Sentence narrative={id} {...sentence} />
        </li>
      )}
    </SentenceList>
  )
}
