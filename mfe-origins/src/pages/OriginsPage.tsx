import { exactTime, hasStatus, paths, SectionLink, withData } from '@iodine/mfe-kit'
import {
  Callout,
  EmptyState,
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
import { type Question, readQuestion, toAddress } from '../model/question'
import { type Found, nameOf } from '../model/sightings'
import { useAskedIod, useSightings } from '../queries/search'
import { Firsts } from './Firsts'
import { Legend } from './Legend'
import styles from './OriginsPage.module.css'
import { Others } from './Others'
import { Rest } from './Rest'
import { SearchForm } from './SearchForm'
import { SightingCard } from './SightingCard'
import { SightingTable, type SightingTableHandle } from './SightingTable'
import { Timeline } from './Timeline'

/** Where a text, address, picture or record was seen, the earliest first. The URL has the question. */
export function OriginsPage() {
  const [search, setSearch] = useSearchParams()
  const question = useMemo(() => readQuestion(search), [search])
  const iod = useAskedIod(question)
  const found = useSightings(question, iod.data?.value)
  const query = question?.by === 'iod' && !iod.data ? withData<Found>(iod, undefined) : found
  const address = question ? new URLSearchParams(toAddress(question)).toString() : ''

  const ask = (asked: Question) => {
    const next = new URLSearchParams(toAddress(asked)).toString()
    if (next === address) void found.refetch()
    else setSearch(toAddress(asked))
  }
  return (
    <Page>
      <PageHeader
        title="Origins"
        subtitle="Where something was seen first among collected records, and how it spread from there"
      />
      <SearchForm key={address} asked={question} busy={query.isFetching} onAsk={ask} />
      {question === null ? (
        <EmptyState
          icon={<TimelineEventsIcon size={40} />}
          title="Search for a value, a text or an address"
          description="Or open an IOD or a record, and ask there where it was first."
        />
      ) : (
        <>
          <Asked question={question} value={iod.data?.value} />
          <LoadingPanel
            query={query}
            errorTitle={titleOf(question, query.error)}
            errorText={
              question.by === 'record' && hasStatus(query.error, 404)
                ? 'It is not yours, was deleted, or was collected seconds ago.'
                : undefined
            }
            loadingLabel="Comparing records..."
            skeleton={<SkeletonCards count={2} lines={5} className={styles.cards} />}
            isEmpty={({ first }) => first === null}
            empty={<Nothing question={question} />}
          >
            {data => <Answer key={address} question={question} found={data} query={found} />}
          </LoadingPanel>
        </>
      )}
    </Page>
  )
}

const titleOf = ({ by }: Question, error: unknown): string => {
  if (by === 'record' && hasStatus(error, 404)) return 'This record cannot be searched by'
  if (by === 'iod' && hasStatus(error, 404)) return 'This IOD does not exist'
  return 'The search failed'
}

/** What is searched for, where the form's field does not say it. */
function Asked({ question: { by, words }, value }: { question: Question; value: string | undefined }) {
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

const Nothing = ({ question: { scope, since, until } }: { question: Question }) => (
  <EmptyState
    icon={<SearchIcon size={40} />}
    title="Not seen here"
    description={
      since || until
        ? 'No record of this time matches. Search without a time.'
        : scope === 'own'
          ? 'None of your records matches. Search those that others share, too, or collect some posts first.'
          : 'Neither your records nor those that others share match.'
    }
  />
)

interface AnswerProps {
  question: Question
  found: Found
  query: ReturnType<typeof useSightings>
}

function Answer({ question, found, query }: AnswerProps) {
  const { first, first_seen, counts } = found
  const [selected, setSelected] = useState<string | null>(null)
  const table = useRef<SightingTableHandle>(null)
  const open = useCallback((id: string) => {
    setSelected(id)
    table.current?.scrollTo(id)
  }, [])
  const shown = selected === null ? undefined : found.byId.get(selected)
  if (!first) return null
  const about =
    question.by === 'iod'
      ? { iod_id: question.words }
      : question.by === 'record'
        ? { record_id: question.words }
        : null
  return (
    <>
      <ul className={styles.badges} aria-label="Counts">
        <Badge count={counts.items} one="sighting" many="sightings" />
        <Badge count={counts.accounts} one="account" many="accounts" />
        {counts.without_time > 0 && (
          <Badge count={counts.without_time} one="without a claimed time" many="without a claimed time" />
        )}
      </ul>
      {counts.truncated && (
        <Callout className={styles.notice} intent="warning" compact>
          More posts may match than a search compares: the earliest may be missing. Search for a longer text,
          or a shorter time.
        </Callout>
      )}
      <div className={styles.cards}>
        <SightingCard title="Earliest known here" sighting={first} found={found} onSelect={open}>
          <p className={styles.limits}>
            {question.scope === 'own'
              ? 'Among your records.'
              : 'Among your records and those that others share.'}{' '}
            It may have been said earlier where nobody collected it.
          </p>
          {counts.may_be_earlier > 0 && (
            <p className={styles.limits}>
              {counts.may_be_earlier === 1 ? '1 other' : `${formatCount(counts.may_be_earlier)} others`} may
              be earlier: only the time of collecting is known, before which each was posted (≤).
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
          {about && <Others key={question.words} about={about} />}
        </SightingCard>
        <Firsts found={found} onSelect={open} />
      </div>
      <p className={styles.next}>
        <SectionLink to={coSharesOf(question)}>Who shares it together?</SectionLink> Accounts that post it
        within seconds of each other.
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
            title="Selected sighting"
            sighting={shown}
            found={found}
            onSelect={open}
            onClose={() => setSelected(null)}
          />
        </div>
      )}
      <Rest query={query} shown={found.items.length} total={counts.items} />
      <SightingTable ref={table} found={found} selected={selected} onSelect={setSelected} />
    </>
  )
}

/** The page that looks for accounts that share what is asked about. */
const coSharesOf = ({ by, words }: Question) =>
  paths.coShares(by === 'iod' ? { iod: words } : by === 'record' ? { record: words } : { about: words })

const Badge = ({ count, one, many }: { count: number; one: string; many: string }) => (
  <li>
    <Tag minimal round>
      {formatCount(count)} {count === 1 ? one : many}
    </Tag>
  </li>
)
