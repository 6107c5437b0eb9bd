import { useHost } from '@iodine/mfe-kit'
import { formatCount, LoadingPanel, LoadMore } from '@iodine/ui'
import { type Filters, isOwnGraph } from '../model/filters'
import type { TripletNetwork } from '../model/network'
import { useTexts } from '../queries/texts'
import { DetailCard } from './DetailCard'
import styles from './DetailCard.module.css'
import { Ends } from './Nodes'
import { Sentence } from './Sentence'

export interface LinkCardProps {
  className?: string | undefined
  network: TripletNetwork
  link: number
  /** The filters of the displayed graph. */
  filters: Partial<Filters>
  onSelect: (node: number) => void
  onClose: () => void
}

/** The details of the selected link, with the texts of its triplets. */
export function LinkCard({ className, network, link, filters, onSelect, onClose }: LinkCardProps) {
  const { user } = useHost().session
  const isOwn = isOwnGraph(filters, user.id)
  const data = network.links[link]!
  const ends = [network.shape.sources[link]!, network.shape.targets[link]!]
  return (
    <DetailCard
      className={className}
      label="Link details"
      title={ends.map(node => network.labels[node]).join(' → ')}
      type={data.type === 'subject_to_verb' ? 'Subject → verb' : 'Verb → object'}
      count={data.count}
      sources={data.sources}
      onClose={onClose}
    >
      <Ends network={network} ends={ends} onSelect={onSelect} />
      {isOwn ? (
        <Texts key={link} link={data} filters={filters} />
      ) : (
        <p className={styles.more}>Only the author can see the texts of a link.</p>
      )}
    </DetailCard>
  )
}

function Texts({ link, filters }: { link: TripletNetwork['links'][number]; filters: Partial<Filters> }) {
  const query = useTexts(link, filters)
  const { total } = query
  return (
    <>
      <h3 className={styles.subtitle}>Texts{total !== null && ` (${formatCount(total)})`}</h3>
      <LoadingPanel
        query={query}
        errorTitle="Unable to load narratives"
        empty={<p className={styles.more}>No text contains this link any more. Refresh the graph.</p>}
      >
        {texts => (
          <>
            <ul className={styles.texts} aria-label="Texts">
              {texts.map(({ id, src, sentence, place }) => (
                <li key={id}>
                  <Sentence narrative={id} src={src} sentence={sentence} place={place} />
                </li>
              ))}
            </ul>
            <LoadMore inline query={query.more} variant="minimal" size="small" text="Show more texts" />
          </>
        )}
      </LoadingPanel>
    </>
  )
}
