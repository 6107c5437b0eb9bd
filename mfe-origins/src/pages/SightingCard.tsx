import { nameInRecords, type Sighting, siteOf } from '@iodine/contracts'
import { exactTime, paths, SectionLink } from '@iodine/mfe-kit'
import { Button, Card, Facts, type FactsProps, SourceLink, Tag } from '@iodine/ui'
import { CrossIcon } from '@iodine/ui/icons'
import type { ReactNode } from 'react'
import { describeEdge, MATCH_LABELS, nameOf, type SearchResult, SOURCE_LABELS } from '../model/sightings'
import styles from './SightingCard.module.css'

export interface SightingCardProps {
  title: string
  sighting: Sighting
  found: SearchResult
  onSelect: (id: string) => void
  onClose?: () => void
  children?: ReactNode
}

/** An occurrence with both times, its matches, and what it follows from. */
export function SightingCard({ title, sighting, found, onSelect, onClose, children }: SightingCardProps) {
  const { account, source, excerpt, own } = sighting
  return (
    <Card className={styles.card} role="region" aria-label={title}>
      <header className={styles.header}>
        <h2 className={styles.title}>{title}</h2>
        {onClose && (
          <Button variant="minimal" size="small" icon={<CrossIcon />} aria-label="Close" onClick={onClose} />
        )}
      </header>
      <p className={styles.account}>
        <strong dir="auto">{nameOf(sighting)}</strong> <Tag minimal>{SOURCE_LABELS[source]}</Tag>
      </p>
      {excerpt ? (
        <blockquote className={styles.excerpt} dir="auto">
          {excerpt}
        </blockquote>
      ) : (
        <p className={styles.muted}>The text is not available right now.</p>
      )}
      <Marks sighting={sighting} />
      <Facts className={styles.facts} facts={factsOf(sighting, found, onSelect)} />
      {own && (
        <p className={styles.links}>
          <SectionLink to={paths.origins({ record: sighting.id })}>Search for this post</SectionLink>
          <SectionLink to={paths.data({ source, ...(account && { q: nameInRecords({ source, account }) }) })}>
            Records of this account
          </SectionLink>
        </p>
      )}
      {children}
    </Card>
  )
}

/** Returns the terms of an occurrence. */
const factsOf = (
  sighting: Sighting,
  found: SearchResult,
  onSelect: (id: string) => void,
): FactsProps['facts'] => {
  const { url, own, edited, forwarded_from, removed_at, shared_by } = sighting
  const original = siteOf(sighting.names)
  const stating = sighting.imported ? 'the imported file' : 'the page'
  const edges = found.edgesTo.get(sighting.id) ?? []
  return {
    Posted: sighting.posted_at ? (
      <>
        <time dateTime={sighting.posted_at}>{exactTime(sighting.posted_at)}</time>
        <span className={styles.muted}>
          {sighting.posted_claimed
            ? ` according to ${stating}`
            : ` according to ${stating}, for an earlier version`}
        </span>
      </>
    ) : (
      <span className={styles.muted}>The page states no time</span>
    ),
    [sighting.imported ? 'Imported' : 'Collected']: (
      <>
        <time dateTime={sighting.fetched_at}>{exactTime(sighting.fetched_at)}</time>
        {!sighting.posted_claimed && (
          <span className={styles.muted}> used for the order; the post may be earlier</span>
        )}
      </>
    ),
    Edited: edited && 'An edited version never counts as the first appearance',
    URL: url && <SourceLink source={url} />,
    Removed: removed_at && (
      <>
        Detected on <time dateTime={removed_at}>{exactTime(removed_at)}</time>; the record is kept
      </>
    ),
    Original: original && (
      <>
        <bdi>{original}</bdi>
        <span className={styles.muted}> according to the page; compare both</span>
      </>
    ),
    'Forward of': forwarded_from && (
      <>
        {forwarded_from.name ?? ''} {forwarded_from.url && <SourceLink source={forwarded_from.url} />}
      </>
    ),
    'Shared by': !own && (shared_by ? `@${shared_by}` : 'an anonymous member'),
    'Earlier posts': edges.length > 0 && (
      <ul className={styles.edges}>
        {edges.map(edge => (
          <li key={`${edge.from} ${edge.how}`}>
            <Button
              variant="minimal"
              size="small"
              alignText="start"
              text={describeEdge(edge, found.byId.get(edge.from))}
              onClick={() => onSelect(edge.from)}
            />
          </li>
        ))}
      </ul>
    ),
  }
}

/** Tags of an occurrence: its matches, and the state of its version. */
export function Marks({ sighting }: { sighting: Sighting }) {
  const { matches, likeness, edited, removed_at, own, shared, imported } = sighting
  // Without the text, a quote cannot be distinguished from a rewording.
  const isUnread = sighting.excerpt === null
  return (
    <span className={styles.marks}>
      {matches.map(match => (
        <Tag key={match} minimal intent={match === 'post' || match === 'forward' ? 'primary' : 'none'}>
          {isUnread && (match === 'near' || match === 'reworded') ? 'Similar text' : MATCH_LABELS[match]}
          {match === 'near' && likeness !== null && `: ${Math.round(likeness * 100)} % of words shared`}
        </Tag>
      ))}
      {edited && (
        <Tag minimal intent="warning">
          Edited
        </Tag>
      )}
      {removed_at && (
        <Tag minimal intent="danger">
          Removed
        </Tag>
      )}
      {imported && <Tag minimal>Imported</Tag>}
      {own && shared && <Tag minimal>Shared</Tag>}
    </span>
  )
}
