import { type Iod, LIMITS, nodeIdOf } from '@iodine/contracts'
import { paths, SectionLink, SOURCE_LABELS } from '@iodine/mfe-kit'
import { CategoryTag, formatAmount, formatCount, LoadingPanel, LoadMore, type QueryState } from '@iodine/ui'
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
  /** Whether to send requests. Cached data is shown in any case. */
  enabled: boolean
}

/** The occurrences of an IOD in campaigns and the user's data, narratives and graph, and other IODs of its source. */
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

interface SectionProps<T> {
  title: string
  query: QueryState<T[]> & { total: number | null }
  errorTitle: string
  children: (items: T[]) => ReactNode
}

/** A section of the panel, which loads and fails independently. */
function Section<T>({ title, query, errorTitle, children }: SectionProps<T>) {
  const { data, error, total } = query
  const isLoading = data === undefined && !error
  return (
    <section className={styles.part} aria-label={title} aria-busy={isLoading}>
      <h3>
        {title}
        {total !== null && ` (${formatCount(total)})`}
      </h3>
      {isLoading ? (
        <p className={styles.none}>Loading...</p>
      ) : (
        <LoadingPanel query={query} errorTitle={errorTitle} empty={<p className={styles.none}>None</p>}>
          {children}
        </LoadingPanel>
      )}
    </section>
  )
}

function Campaigns({ iod, enabled }: OccurrencesProps) {
  const query = useCampaignsOf(iod.id, enabled)
  return (
    <Section title="Campaigns" query={query} errorTitle="Failed to load campaigns">
      {campaigns => (
        <>
          <ul>
            {campaigns.map(({ id, name, iod_count }) => (
              <li key={id}>
                <SectionLink className={styles.excerpt} dir="auto" to={paths.campaign(id)}>
                  {name || 'Unnamed Campaign'}
                </SectionLink>
                <span className={styles.meta}>{formatAmount(iod_count, 'IOD')}</span>
              </li>
            ))}
          </ul>
          <LoadMore inline query={query.more} variant="minimal" size="small" text="Show more campaigns" />
        </>
      )}
    </Section>
  )
}

function Records({ iod, enabled }: OccurrencesProps) {
  const q = searchedText(iod)
  const query = useRecordsWith(q, enabled)
  return (
    <Section title="In my data" query={query} errorTitle="Your data could not be searched">
      {sources => (
        <>
          {sources.map(({ source, total, items }) => (
            <div key={source}>
              <h4>
                <SectionLink to={paths.data({ source, q })}>
                  {SOURCE_LABELS[source]} ({formatCount(total)})
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
            <p className={styles.meta}>Searched for the first {LIMITS.searchMax} characters only.</p>
          )}
        </>
      )}
    </Section>
  )
}

/** An excerpt of a text around the searched text. */
const Hit = ({ text, q }: { text: string; q: string }) => (
  <span className={styles.excerpt} dir="auto">
    <Excerpt text={text} matches={findMatches(text, q)} />
  </span>
)

function Narratives({ iod, enabled }: OccurrencesProps) {
  const q = searchedText(iod)
  const query = useNarrativesWith(q, enabled)
  return (
    <Section title="In my narratives" query={query} errorTitle="Your narratives could not be searched">
      {items => (
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
    </Section>
  )
}

function Mentions({ iod: { value }, enabled }: OccurrencesProps) {
  const query = useMentionsOf(value, enabled)
  return (
    <Section title="In my graph" query={query} errorTitle="Your graph could not be searched">
      {items => (
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
    </Section>
  )
}

function SameSource({ iod, source, enabled }: OccurrencesProps & { source: string }) {
  const query = useSameSource(iod.id, source, enabled)
  return (
    <Section
      title="Other IODs of this source"
      query={query}
      errorTitle="IODs of this source could not be loaded"
    >
      {items => (
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
    </Section>
  )
}
