import { type CanonicalNarrative, type CanonicalState, LIMITS } from '@iodine/contracts'
import { paths, SectionLink, useHost, useSections } from '@iodine/mfe-kit'
import {
  Button,
  Callout,
  Card,
  DateTime,
  EmptyState,
  formatCount,
  LoadingPanel,
  LoadMore,
  Page,
  PageHeader,
  SearchInput,
  SegmentedControl,
  SkeletonCards,
  useSearchText,
} from '@iodine/ui'
import { HistoryIcon, LinkIcon } from '@iodine/ui/icons'
import { useSearchParams, useSetParam } from '@iodine/ui/router'
import { reachText } from '../model/canonical'
import { useCanonicalList, useCanonicalState, useCompareByMeaning, type Whose } from '../queries/canonical'
import styles from './CanonicalPage.module.css'
import { NarrativesTabs } from './NarrativesTabs'
import { Parts } from './Parts'
import { Sparkline } from './Sparkline'

/** What many sentences say in different words, by reach. The URL has the search and whose narratives are shown. */
export function CanonicalPage() {
  const [search] = useSearchParams()
  const { open } = useSections()
  const q = search.get('q') ?? ''
  const whose: Whose = {
    scope: search.get('scope') === 'all' ? 'all' : 'own',
    userId: search.get('user_id'),
  }
  const isOwn = whose.scope === 'own' && whose.userId === null
  const set = useSetParam()
  const [text, setText] = useSearchText(q, next => set('q', next.trim()))
  const list = useCanonicalList(q, whose)
  const state = useCanonicalState(isOwn)
  return (
    <Page>
      <PageHeader
        title="Narratives"
        subtitle="Canonical narratives: what many sentences say in different words"
        actions={
          isOwn && (
            <Button icon={<HistoryIcon />} text="History" onClick={() => open(paths.canonicalHistory())} />
          )
        }
      />
      <NarrativesTabs selected="canonical">
        <div className={styles.bar}>
          <SearchInput
            className={styles.search}
            value={text}
            onChange={next => setText(next.slice(0, LIMITS.searchMax))}
            placeholder="Search spellings..."
          />
          {whose.userId === null && (
            <SegmentedControl
              aria-label="Whose narratives"
              size="small"
              options={[
                { label: 'Mine', value: 'own' },
                { label: 'Everyone’s', value: 'all' },
              ]}
              value={whose.scope}
              onValueChange={scope => set('scope', scope === 'all' ? 'all' : '')}
            />
          )}
        </div>
        <Note whose={whose} state={state} />
        <LoadingPanel
          query={list}
          errorTitle="Unable to load canonical narratives"
          skeleton={<SkeletonCards count={5} lines={1} className={styles.list} />}
          empty={<Nothing q={q} whose={whose} />}
        >
          {narratives => (
            <>
              <p className={styles.count} role="status">
                {formatCount(list.total ?? 0)} {list.total === 1 ? 'narrative' : 'narratives'}
              </p>
              <ul className={styles.list} aria-label="Canonical narratives">
                {narratives.map(narrative => (
                  <Row key={narrative.id} narrative={narrative} userId={whose.userId} />
                ))}
              </ul>
              <LoadMore query={list.more} text="Show more narratives" />
            </>
          )}
        </LoadingPanel>
      </NarrativesTabs>
    </Page>
  )
}

function Row({ narrative, userId }: { narrative: CanonicalNarrative; userId: string | null }) {
  const { id, clock, since, last, dated, sentences, owners, over_time } = narrative
  const to = paths.canonicalNarrative(id, { user_id: userId ?? undefined })
  return (
    <li>
      <Card className={styles.row} compact>
        <div className={styles.said}>
          {owners === null ? (
            <SectionLink to={to} className={styles.link}>
              <Parts narrative={narrative} />
            </SectionLink>
          ) : (
            <Parts narrative={narrative} />
          )}
          <span className={styles.meta}>
            {owners !== null && `${formatCount(owners)} people · `}
            {reachText(narrative)} · {clock === 'posted' ? 'since' : 'analyzed'} <DateTime value={since} />
            {last.slice(0, 10) !== since.slice(0, 10) && (
              <>
                {clock === 'posted' ? ', last' : ' to'} <DateTime value={last} />
              </>
            )}
            {clock === 'posted' && dated < sentences && ` · ${formatCount(sentences - dated)} without a date`}
          </span>
        </div>
        {over_time.length > 0 && <Sparkline values={over_time} from={since} to={last} />}
      </Card>
    </li>
  )
}

function Note({ whose, state }: { whose: Whose; state: CanonicalState | undefined }) {
  if (whose.userId !== null)
    return (
      <Callout className={styles.note} icon={false} compact>
        The narratives of another member, as their graph is public. Their texts are not.{' '}
        <SectionLink to={paths.person(whose.userId)}>Open their profile</SectionLink>
      </Callout>
    )
  if (whose.scope === 'all')
    return (
      <Callout className={styles.note} icon={false} compact>
        What at least {LIMITS.sharedOwnersMin} members with a public profile say. Texts stay with their
        authors.
      </Callout>
    )
  return <Comparison state={state} />
}

const FAILURES: Record<NonNullable<CanonicalState['failure']>, string> = {
  missing_key: 'There is no OpenAI API key in your profile.',
  rejected_key: 'Your OpenAI API key was rejected by the provider.',
  rate_limited: 'The AI provider is limiting requests for your key, please try again later.',
  no_credit: 'The account of your OpenAI API key has no credit left at the AI provider.',
  refused: 'The AI provider refused to compare these labels.',
  provider_failed: 'The AI provider failed to compare them.',
}

const stateText = ({ pending, comparing, method }: Partial<CanonicalState>): string => {
  if (comparing) return 'Your labels are being compared by their meaning. This list follows in a moment.'
  if (pending) return 'New texts or decisions are being gathered. This list follows in a moment.'
  return method === 'embeddings'
    ? 'Labels are compared by their words, and were compared by their meaning when you asked for it.'
    : 'Labels are compared by their words, verbs by their forms alone: “heat” and “warm” stay apart until you merge them.'
}

/** How labels are compared, and the way to have them compared by their meaning: with the user's own AI key. */
function Comparison({ state }: { state: CanonicalState | undefined }) {
  const { session } = useHost()
  const compare = useCompareByMeaning()
  const failure = state?.failure
  return (
    <Callout className={styles.note} icon={false} compact intent={failure ? 'warning' : 'none'}>
      <div className={styles.comparison}>
        <span className={styles.how}>
          {failure && <b>Not compared by meaning: {FAILURES[failure]} </b>}
          {stateText(state ?? {})}
        </span>
        {session.user.has_openai_key ? (
          <Button
            size="small"
            variant="outlined"
            text="Compare by meaning"
            title="Sends the labels of your triplets, no texts, to the AI provider with your key"
            loading={state?.comparing ?? false}
            onClick={() => void compare.run()}
          />
        ) : (
          <SectionLink to={paths.profile()}>Add an AI key to compare by meaning</SectionLink>
        )}
      </div>
    </Callout>
  )
}

function Nothing({ q, whose }: { q: string; whose: Whose }) {
  const { open } = useSections()
  if (q) return <EmptyState icon={<LinkIcon />} title="No narrative has this in a spelling" />
  if (whose.scope === 'all' || whose.userId)
    return <EmptyState icon={<LinkIcon />} title="Nothing is said by enough people yet" />
  return (
    <EmptyState
      icon={<LinkIcon />}
      title="No canonical narratives yet"
      description="They gather the triplets of your texts."
      action={<Button text="Analyze a text" onClick={() => open(paths.narratives())} />}
    />
  )
}
