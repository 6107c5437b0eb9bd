import { isHttpUrl } from '@iodine/contracts'
import { Button, Card, ErrorCallout, Loading } from '@iodine/ui'
import { CrossIcon } from '@iodine/ui/icons'
import type { Network } from '../model/network'
import { SEARCHED_MAX, useSayings } from '../queries/use-sayings'
import styles from './NodeCard.module.css'
import { SourceList } from './SourceList'

export interface LinkCardProps {
  className?: string | undefined
  network: Network
  link: number
  /** Whether the reader may see the texts: those of their own graph. */
  own: boolean
  onSelect: (node: number) => void
  onClose: () => void
}

/** What is known of the selected link, with the texts that say it. */
export function LinkCard({ className, network, link, own, onSelect, onClose }: LinkCardProps) {
  const data = network.links[link]!
  const ends = [network.shape.sources[link]!, network.shape.targets[link]!]
  const { sayings, isError, refetch } = useSayings(data, own)
  return (
    <Card
      className={`${styles.card} ${className ?? ''}`}
      role="region"
      aria-label="Link details"
      elevation={2}
    >
      <header className={styles.header}>
        <h2 className={styles.title}>{ends.map(node => network.labels[node]).join(' → ')}</h2>
        <Button
          variant="minimal"
          size="small"
          icon={<CrossIcon />}
          aria-label="Clear selection"
          onClick={onClose}
        />
      </header>
      <dl className={styles.facts}>
        <dt>Type</dt>
        <dd>{data.type === 'subject_to_verb' ? 'Subject → verb' : 'Verb → object'}</dd>
        <dt>Count</dt>
        <dd>{data.count.toLocaleString('en-US')}</dd>
        <dt>Sources</dt>
        <dd>
          <SourceList sources={data.sources} />
        </dd>
      </dl>
      <div className={styles.ends}>
        {ends.map(node => (
          <Button
            key={node}
            size="small"
            variant="outlined"
            ellipsizeText
            text={network.labels[node]}
            onClick={() => onSelect(node)}
          />
        ))}
      </div>
      {own && (
        <>
          <h3 className={styles.subtitle}>Texts{sayings && ` (${sayings.length})`}</h3>
          {isError && <ErrorCallout title="Unable to load narratives" onRetry={() => void refetch()} />}
          {!sayings && !isError && <Loading />}
          {sayings?.length === 0 && (
            <p className={styles.more}>None among your latest {SEARCHED_MAX} narratives.</p>
          )}
          <ul className={styles.texts} aria-label="Texts">
            {sayings?.map(({ id, src, sentence }) => (
              <li key={id}>
                <q>{sentence}</q>
                <span className={styles.more}>{src && <Source src={src} />}</span>
              </li>
            ))}
          </ul>
        </>
      )}
    </Card>
  )
}

const Source = ({ src }: { src: string }) =>
  isHttpUrl(src) ? (
    <a href={src} target="_blank" rel="noreferrer">
      {src}
    </a>
  ) : (
    src
  )
