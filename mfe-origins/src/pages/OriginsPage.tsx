import { exactTime, hasStatus, paths, SectionLink, withData } from '@iodine/mfe-kit'
import { WatchButton } from '@iodine/mfe-kit/watches'
import {
  Callout,
  EmptyState,
  formatAmount,
  formatCount,
  LoadingPanel,
  Page,
  PageHeader,
  SkeletonCards,
  Tag,
} from '@iodine/ui'
import { SearchIcon, TimelineEventsIcon } from '@iodine/ui/icons'
import { useSearchParams } from '@iodine/ui/router'
import { useCallback, useMemo, useRef, useState } from 'react'
import { readCriteria, type SearchCriteria, toSearchParams, watchedBy } from '../model/search-criteria'
import { nameOf, type SearchResult } from '../model/sightings'
import { useSearchedIod, useSightings } from '../queries/search'
import { FirstByAccount } from './FirstByAccount'
import { Legend } from './Legend'
import styles from './OriginsPage.module.css'
import { OtherCollectors } from './OtherCollectors'
import { RemainingPages } from './RemainingPages'
import { SearchForm } from './SearchForm'
import { SightingCard } from './SightingCard'
import { SightingTable, type SightingTableHandle } from './SightingTable'
import { Timeline } from './Timeline'

const WATCHED = { iod: 'this IOD', term: 'this term', url: 'this URL', text: 'this text' }

/**
 * The page that finds occurrences of a text, URL, picture or record, the earliest first. Its URL contains the search.
 */
export function OriginsPage() {
  const [search, setSearch] = useSearchParams()
  const criteria = useMemo(() => readCriteria(search), [search])
  const iod = useSearchedIod(criteria)
  const found = useSightings(criteria, iod.data?.value)
  const query = criteria?.by === 'iod' && !iod.data ? withData<SearchResult>(iod, undefined) : found
  const watched = criteria && watchedBy(criteria)
  const queryString = criteria ? new URLSearchParams(toSearchParams(criteria)).toString() : ''

  const submit = (next: SearchCriteria) => {
    const params = toSearchParams(next)
    if (new URLSearchParams(params).toString() === queryString) void found.refetch()
    else setSearch(params)
  }
  return (
    <Page>
      <PageHeader
        title="Origins"
        subtitle="Where a text, link or picture first appeared among the collected records, and how it spread"
        actions={watched && <WatchButton subject={watched} about={WATCHED[watched.kind]} />}
      />
      <SearchForm key={queryString} initial={criteria} busy={query.isFetching} onSearch={submit} />
      {criteria === null ? (
        <EmptyState
          icon={<TimelineEventsIcon size={40} />}
          title="Search for a text, a URL or a hash"
          description="You can also open an IOD or a record and choose “Find first appearance”."
        />
      ) : (
        <>
          <SearchSubject criteria={criteria} value={iod.data?.value} />
          <LoadingPanel
            query={query}
            errorTitle={titleOf(criteria, query.error)}
            errorText={
              criteria.by === 'record' && hasStatus(query.error, 404)
                ? 'It belongs to another member, was deleted, or was collected seconds ago.'
                : undefined
            }
            loadingLabel="Comparing records..."
            skeleton={<SkeletonCards count={2} lines={5} className={styles.cards} />}
            isEmpty={({ first }) => first === null}
            empty={<NoMatches criteria={criteria} />}
          >
            {data => <Results key={queryString} criteria={criteria} found={data} query={found} />}
          </LoadingPanel>
        </>
      )}
    </Page>
  )
}

const titleOf = ({ by }: SearchCriteria, error: unknown): string => {
  if (by === 'record' && hasStatus(error, 404)) return 'This record cannot be searched for'
  if (by === 'iod' && hasStatus(error, 404)) return 'This IOD does not exist'
  return 'The search failed'
}

/** The subject of a search by a record or an IOD, which the form does not show. */
function SearchSubject({
  criteria: { by, words },
  value,
}: {
  criteria: SearchCriteria
  value: string | undefined
}) {
  if (by === 'record') return <p className={styles.asked}>Posts like one of your records</p>
  if (by !== 'iod') return null
  return (
    <p className={styles.asked}>
      The IOD{' '}
      <SectionLink to={paths.iod(words)} dir="auto">
        {value ?? words}
      </SectionLink>
    </p>
  )
}

const NoMatches = ({ criteria: { scope, since, until } }: { criteria: SearchCriteria }) => (
  <EmptyState
    icon={<SearchIcon size={40} />}
    title="No matching posts"
    description={
      since || until
        ? 'No record of this period matches. Clear the period and search again.'
        : scope === 'own'
          ? 'None of your records matches. Search shared records too, or collect posts first.'
          : 'Neither your records nor shared records match.'
    }
  />
)

interface ResultsProps {
  criteria: SearchCriteria
  found: SearchResult
  query: ReturnType<typeof useSightings>
}

function Results({ criteria, found, query }: ResultsProps) {
  const { first, first_seen, counts } = found
  const [selected, setSelected] = useState<string | null>(null)
  const table = useRef<SightingTableHandle>(null)
  const open = useCallback((id: string) => {
    setSelected(id)
    table.current?.scrollTo(id)
  }, [])
  const shown = selected === null ? undefined : found.byId.get(selected)
  if (!first) return null
  const about = countedOf(criteria)
  return (
    <>
      <ul className={styles.badges} aria-label="Counts">
        <Badge count={counts.items} one="post" />
        <Badge count={counts.accounts} one="account" />
        {counts.without_time > 0 && (
          <Badge count={counts.without_time} one="without a claimed time" many="without a claimed time" />
        )}
      </ul>
      {counts.truncated && (
        <Callout className={styles.notice} intent="warning" compact>
          A search compares a limited number of posts: the earliest may be missing. Search for a longer text
          or a shorter period.
        </Callout>
      )}
      <div className={styles.cards}>
        <SightingCard title="Earliest known here" sighting={first} found={found} onSelect={open}>
          <p className={styles.limits}>
            {criteria.scope === 'own' ? 'Among your records.' : 'Among your records and shared records.'}{' '}
            Earlier posts may exist outside these records.
          </p>
          {counts.may_be_earlier > 0 && (
            <p className={styles.limits}>
              {counts.may_be_earlier === 1
                ? '1 other post may be earlier: only its collection time (≤) is known.'
                : `${formatCount(counts.may_be_earlier)} other posts may be earlier: only their collection times (≤) are known.`}
            </p>
          )}
          {first_seen && first_seen.id !== first.id && (
            <p className={styles.limits}>
              Collected first:{' '}
              <button type="button" className={styles.link} onClick={() => open(first_seen.id)}>
                <bdi>{nameOf(first_seen)}</bdi>
              </button>
              , {exactTime(first_seen.fetched_at)}. A page can claim any time: compare both.
            </p>
          )}
          {about && <OtherCollectors key={criteria.words} about={about} />}
        </SightingCard>
        <FirstByAccount found={found} onSelect={open} />
      </div>
      <p className={styles.next}>
        <SectionLink to={coSharesOf(criteria)}>Show co-shares</SectionLink> Accounts that post it within
        seconds of each other.
      </p>
      <Timeline
        found={found}
        selected={selected}
        onSelect={setSelected}
        onOpen={open}
        legend={<Legend found={found} />}
      />
      {shown && (
        <div className={styles.selected}>
          <SightingCard
            title="Selected post"
            sighting={shown}
            found={found}
            onSelect={open}
            onClose={() => setSelected(null)}
          />
        </div>
      )}
      <RemainingPages query={query} shown={found.items.length} total={counts.items} />
      <SightingTable ref={table} found={found} selected={selected} onSelect={setSelected} />
    </>
  )
}

/** Returns the subject whose other collectors can be counted; null if there is none. */
const countedOf = ({ by, words }: SearchCriteria) =>
  by === 'iod' ? { iod_id: words } : by === 'record' ? { record_id: words } : null

/** Returns the URL of the co-shares page about the same subject. */
const coSharesOf = ({ by, words }: SearchCriteria) =>
  paths.coShares(by === 'iod' ? { iod: words } : by === 'record' ? { record: words } : { about: words })

const Badge = ({ count, one, many }: { count: number; one: string; many?: string }) => (
  <li>
    <Tag minimal round>
      {formatAmount(count, one, many)}
    </Tag>
  </li>
)
