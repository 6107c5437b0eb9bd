import { type Iod, LIMITS, nodeIdOf } from '@iodine/contracts'
import { paths, SectionLink, SOURCE_LABELS } from '@iodine/mfe-kit'
import { CategoryTag, formatCount, LoadingPanel, LoadMore, type QueryState } from '@iodine/ui'
import type { ReactNode } from 'react'
import { findMatches } from '../model/matches'
import { mayBeEntity, searchedText, searchedTextOf } from '../model/occurrences'
import {
  useCampaignsOf,
  useMentionsOf,
  useNarrativesWith,
  useRecordsWith,
  useSameSource,
} from '../queries/occurrences'
import { FilterLink } from './FilterLink'
import styles from './IodDetails.module.css'
import { IodLink } from './IodLink'
import { Excerpt } from './MarkedText'

export interface OccurrencesProps {
  iod: Iod
  /** Whether anything may be asked of the server. What the cache has is shown in any case. */
  enabled: boolean
}

/** Where an IOD occurs: in campaigns, in the user's own data, narratives and graph; and others of its source. */
export function Occurrences({ iod, enabled }: OccurrencesProps) {
  return (
    <>
      <Campaigns iod={iod} enabled={enabled} />
      <Records iod={iod} enabled={enabled} />
      <Narratives iod={iod} enabled={enabled} />
      {mayBeEntity(iod) && <Mentions iod={iod} enabled={enabled} />}
      {iod.source && <SameSource iod={iod} source={iod.source} enabled={enabled} />}
    </>
  )
}

interface PartProps<T> {
  title: string
  total?: number | null | undefined
  query: QueryState<T>
  errorTitle: string
  isEmpty: (data: T) => boolean
  children: (data: T) => ReactNode
}

/** A part of the panel, which loads and fails by itself. */
function Part<T>({ title, total, query, errorTitle, isEmpty, children }: PartProps<T>) {
  const isLoading = query.data === undefined && !query.error
  return (
    <section className={styles.part} aria-label={title} aria-busy={isLoading}>
      <h3>
        {title}
        {total !== undefined && total !== null && ` (${formatCount(total)})`}
      </h3>
      {isLoading ? (
        <p className={styles.none}>Loading...</p>
      ) : (
        <LoadingPanel
          query={query}
          errorTitle={errorTitle}
          isEmpty={isEmpty}
          empty={<p className={styles.none}>None</p>}
        >
          {children}
        </LoadingPanel>
      )}
    </section>
  )
}

const isNone = (items: readonly unknown[]) => items.length === 0
const isNothing = ({ items }: { items: readonly unknown[] }) => items.length === 0

function Campaigns({ iod, enabled }: OccurrencesProps) {
  const query = useCampaignsOf(iod.id, enabled)
  return (
    <Part
      title="Campaigns"
      total={query.total}
      query={query}
      errorTitle="Failed to load campaigns"
      isEmpty={isNone}
    >
      {campaigns => (
        <>
          <ul>
            {campaigns.map(({ id, name, iod_count }) => (
              <li key={id}>
                <SectionLink className={styles.excerpt} dir="auto" to={paths.campaign(id)}>
                  {name || 'Unnamed Campaign'}
                </SectionLink>
                <span className={styles.meta}>
                  {formatCount(iod_count)} {iod_count === 1 ? 'IOD' : 'IODs'}
                </span>
              </li>
            ))}
          </ul>
          <LoadMore inline query={query.more} variant="minimal" size="small" text="Show more campaigns" />
        </>
      )}
    </Part>
  )
}

function Records({ iod, enabled }: OccurrencesProps) {
  const q = searchedText(iod)
  const query = useRecordsWith(q, enabled)
  const totals = query.data?.map(({ total, items }) => total ?? items.length)
  return (
    <Part
      title="In my data"
      total={totals?.reduce((sum, total) => sum + total, 0)}
      query={query}
      errorTitle="Your data could not be searched"
      isEmpty={sources => sources.every(isNothing)}
    >
      {sources => (
        <>
          {sources
            .filter(source => !isNothing(source))
            .map(({ source, total, items }) => (
              <div key={source}>
                <h4>
                  <SectionLink to={paths.data({ source, q })}>
                    {SOURCE_LABELS[source]} ({formatCount(total ?? items.length)})
                  </SectionLink>
                </h4>
                <ul>
                  {items.map(record => (
                    <li key={record.id}>
                      <Hit text={searchedTextOf(record, q)} q={q} />
                    </li>
                  ))}
                </ul>
              </div>
            ))}
          {q.length === LIMITS.searchMax && (
            <p className={styles.meta}>Searched by the first {LIMITS.searchMax} characters.</p>
          )}
        </>
      )}
    </Part>
  )
}

/** The part of a text around what is searched. */
const Hit = ({ text, q }: { text: string; q: string }) => (
  <span className={styles.excerpt} dir="auto">
    <Excerpt text={text} matches={findMatches(text, q)} />
  </span>
)

function Narratives({ iod, enabled }: OccurrencesProps) {
  const q = searchedText(iod)
  const query = useNarrativesWith(q, enabled)
  return (
    <Part
      title="In my narratives"
      total={query.data?.total}
      query={query}
      errorTitle="Your narratives could not be searched"
      isEmpty={isNothing}
    >
      {({ items }) => (
        <ul>
          {items.map(({ id, text }) => {
            const [first] = findMatches(text, q)
            const place = first && { start: first[0], end: first[1] }
            return (
              <li key={id}>
                <SectionLink to={paths.narrative(id, place)}>
                  <Hit text={text} q={q} />
                </SectionLink>
              </li>
            )
          })}
        </ul>
      )}
    </Part>
  )
}

function Mentions({ iod: { value }, enabled }: OccurrencesProps) {
  const query = useMentionsOf(value, enabled)
  return (
    <Part
      title="In my graph"
      total={query.data?.total}
      query={query}
      errorTitle="Your graph could not be searched"
      isEmpty={isNothing}
    >
      {({ items }) => (
        <>
          <ul>
            {items.flatMap(({ id: narrative, triplets }) =>
              triplets.slice(0, 1).map(({ subject, verb, object, sentence, place }) => (
                <li key={narrative}>
                  <div className={styles.excerpt} dir="auto">
                    {subject} {verb} {object}
                  </div>
                  <SectionLink className={styles.excerpt} dir="auto" to={paths.narrative(narrative, place)}>
                    <q>{sentence}</q>
                  </SectionLink>
                </li>
              )),
            )}
          </ul>
          <SectionLink to={paths.graph({ node: nodeIdOf('entity', value) })}>Show in the graph</SectionLink>
        </>
      )}
    </Part>
  )
}

function SameSource({ iod, source, enabled }: OccurrencesProps & { source: string }) {
  const query = useSameSource(iod.id, source, enabled)
  const total = query.data?.total ?? null
  return (
    <Part
      title="Other IODs of this source"
      total={total === null ? null : Math.max(0, total - 1)}
      query={query}
      errorTitle="IODs of this source could not be loaded"
      isEmpty={isNothing}
    >
      {({ items }) => (
        <>
          <ul>
            {items.map(({ id, value, category }) => (
              <li key={id} className={styles.same}>
                <CategoryTag category={category} />
                <span className={`${styles.excerpt} ${styles.oneLine}`} dir="auto">
                  <IodLink id={id}>{value}</IodLink>
                </span>
              </li>
            ))}
          </ul>
          <FilterLink filters={{ source }} alone>
            Show all IODs of this source
          </FilterLink>
        </>
      )}
    </Part>
  )
}
