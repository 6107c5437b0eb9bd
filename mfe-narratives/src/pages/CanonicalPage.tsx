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
import {
  type OwnerFilter,
  useCanonicalList,
  useCanonicalState,
  useCompareByMeaning,
} from '../queries/canonical'
import styles from './CanonicalPage.module.css'
import { NarrativesTabs } from './NarrativesTabs'
import { Parts } from './Parts'
import { Sparkline } from './Sparkline'

/** The page of canonical narratives, by reach. The URL contains the search and the owner filter. */
export function CanonicalPage() {
  const [search] = useSearchParams()
  const { open } = useSections()
  const q = search.get('q') ?? ''
  const owner: OwnerFilter = {
    scope: search.get('scope') === 'all' ? 'all' : 'own',
    userId: search.get('user_id'),
  }
  const isOwn = owner.scope === 'own' && owner.userId === null
  const set = useSetParam()
  const [text, setText] = useSearchText(q, next => set('q', next.trim()))
  const list = useCanonicalList(q, owner)
  const state = useCanonicalState(isOwn)
  return (
    <Page>
      <PageHeader
        title="Narratives"
        subtitle="A canonical narrative groups sentences that make the same statement in different words"
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
            placeholder="Search variants..."
          />
          {owner.userId === null && (
            <SegmentedControl
              aria-label="Owner"
              size="small"
              options={[
                { label: 'Mine', value: 'own' },
                { label: 'Everyone’s', value: 'all' },
              ]}
              value={owner.scope}
              onValueChange={scope => set('scope', scope === 'all' ? 'all' : '')}
            />
          )}
        </div>
        <Note owner={owner} state={state} />
        <LoadingPanel
          query={list}
          errorTitle="Unable to load canonical narratives"
          skeleton={<SkeletonCards count={5} lines={1} className={styles.list} />}
          empty={<NoNarratives q={q} owner={owner} />}
        >
          {narratives => (
            <>
              <p className={styles.count} role="status">
                {formatCount(list.total ?? 0)} {list.total === 1 ? 'narrative' : 'narratives'}
              </p>
              <ul className={styles.list} aria-label="Canonical narratives">
                {narratives.map(narrative => (
                  <Row key={narrative.id} narrative={narrative} userId={owner.userId} />
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
              <Parts parts={narrative} />
            </SectionLink>
          ) : (
            <Parts parts={narrative} />
          )}
          <span className={styles.meta}>
            {owners !== null && `${formatCount(owners)} members · `}
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

function Note({ owner, state }: { owner: OwnerFilter; state: CanonicalState | undefined }) {
  if (owner.userId !== null)
    return (
      <Callout className={styles.note} icon={false} compact>
        These narratives belong to another member, whose graph is public. The texts are private.{' '}
        <SectionLink to={paths.person(owner.userId)}>Open their profile</SectionLink>
      </Callout>
    )
  if (owner.scope === 'all')
    return (
      <Callout className={styles.note} icon={false} compact>
        Narratives in the texts of at least {LIMITS.sharedOwnersMin} members with a public profile. The texts
        are private.
      </Callout>
    )
  return <Comparison state={state} />
}

const FAILURES: Record<NonNullable<CanonicalState['failure']>, string> = {
  missing_key: 'There is no OpenAI API key in your profile.',
  rejected_key: 'Your OpenAI API key was rejected by the provider.',
  rate_limited: 'The AI provider is limiting requests with your key. Please try again later.',
  no_credit: 'The account of your OpenAI API key has no credit left at the AI provider.',
  refused: 'The AI provider refused to compare the variants.',
  provider_failed: 'The AI provider failed to compare the variants.',
}

const stateText = ({ pending, comparing, method }: Partial<CanonicalState>): string => {
  if (comparing) return 'Comparing variants by meaning. The list updates in a moment.'
  if (pending) return 'Processing new texts or decisions. The list updates in a moment.'
  return method === 'embeddings'
    ? 'Variants are grouped by similar words and, since your last request, also by meaning.'
    : 'Variants are grouped by similar words, verbs only by their forms: “heat” and “warm” stay separate until you merge them.'
}

/** The current comparison of labels, and a button that compares them by meaning, with the user's AI key. */
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
            title="Sends the subjects, verbs and objects of your triplets to the AI provider with your key, but not the texts"
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

function NoNarratives({ q, owner }: { q: string; owner: OwnerFilter }) {
  const { open } = useSections()
  if (q) return <EmptyState icon={<LinkIcon />} title="No narrative has a matching variant" />
  if (owner.userId)
    return <EmptyState icon={<LinkIcon />} title="This member has no canonical narratives yet" />
  if (owner.scope === 'all')
    return (
      <EmptyState
        icon={<LinkIcon />}
        title={`No narratives of at least ${LIMITS.sharedOwnersMin} members yet`}
      />
    )
  return (
    <EmptyState
      icon={<LinkIcon />}
      title="No canonical narratives yet"
      description="They group similar triplets of your texts."
      action={<Button text="Analyze a text" onClick={() => open(paths.narratives())} />}
    />
  )
}
