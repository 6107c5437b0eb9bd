import { paths, type Subscription } from '@iodine/contracts'
import { formatSpan, useAction, useHost } from '@iodine/mfe-kit'
import { useQuery } from '@iodine/mfe-kit/query'
import { Button, ButtonGroup, EmptyState, formatCount, formatRelative, LoadingPanel, Tag } from '@iodine/ui'
import { EditIcon, PauseIcon, PlayIcon, PlusIcon, RefreshIcon, TrashIcon } from '@iodine/ui/icons'
import { ConfirmButton } from '@iodine/ui/overlays'
import { Link } from '@iodine/ui/router'
import { type Column, Table, TableSkeleton } from '@iodine/ui/table'
import { useMemo, useState } from 'react'
import cells from './cells.module.css'
import { Lines } from './Lines'
import { PullReasonsDialog } from './PullReasonsDialog'
import { SubscriptionDialog } from './SubscriptionDialog'
import styles from './Subscriptions.module.css'
import { hasReasons, intervalOf, outcomeOf, SUBSCRIPTIONS, subscriptionsQuery } from './subscriptions'

/** Feeds that are pulled into campaigns, with their results and actions. */
export function Subscriptions() {
  const { api } = useHost()
  const query = useQuery(subscriptionsQuery(api))
  const [draft, setDraft] = useState<Subscription | 'new' | null>(null)
  const [explained, setExplained] = useState<Subscription | null>(null)
  const act = useActions()
  const columns = useMemo(() => columnsOf({ ...act, edit: setDraft, explain: setExplained }), [act])
  return (
    <div className={styles.panel}>
      <div className={styles.head}>
        <Button
          intent="primary"
          icon={<PlusIcon />}
          text="Subscribe to a feed"
          onClick={() => setDraft('new')}
        />
      </div>
      <LoadingPanel
        query={query}
        errorTitle="Unable to load subscriptions"
        skeleton={<TableSkeleton columns={columns} heights={{ row: 56, card: 240 }} />}
        empty={
          <EmptyState
            title="No subscriptions yet"
            description="A subscription imports a TAXII collection or a MISP feed into a campaign and keeps it up to date."
          />
        }
      >
        {all => <Table items={all} label="Subscriptions" columns={columns} minWidth={1_080} />}
      </LoadingPanel>
      <PullReasonsDialog subscription={explained} onClose={() => setExplained(null)} />
      <SubscriptionDialog draft={draft} onClose={() => setDraft(null)} />
    </div>
  )
}

/** Returns the actions on subscriptions. */
function useActions() {
  const { api } = useHost()
  type Call = (params: { id: string }) => Promise<unknown>
  const actionOf = (call: Call, title: string, failed: string) => ({
    mutationFn: ({ id }: Subscription) => call({ id }),
    done: { title, duration: 3000 },
    failed,
    invalidates: [SUBSCRIPTIONS],
  })
  const pausing =
    (paused: boolean): Call =>
    params =>
      api.call('PATCH /campaigns/subscriptions/:id', { params, body: { paused } })
  const { run } = useAction(
    actionOf(
      params => api.call('POST /campaigns/subscriptions/:id/run', { params }),
      'The feed is being pulled',
      'The feed could not be pulled',
    ),
  )
  const { run: pause } = useAction(
    actionOf(pausing(true), 'Subscription paused', 'The subscription could not be paused'),
  )
  const { run: resume } = useAction(
    actionOf(pausing(false), 'Subscription resumed', 'The subscription could not be resumed'),
  )
  const { run: leave } = useAction(
    actionOf(
      params => api.call('DELETE /campaigns/subscriptions/:id', { params }),
      'Subscription deleted',
      'The subscription could not be deleted',
    ),
  )
  return useMemo(() => ({ run, pause, resume, leave }), [run, pause, resume, leave])
}

interface Actions extends ReturnType<typeof useActions> {
  edit: (subscription: Subscription) => void
  explain: (subscription: Subscription) => void
}

const columnsOf = (act: Actions): readonly Column<Subscription>[] => [
  {
    name: 'Feed',
    cell: ({ url, kind, public_key }) => (
      <div className={cells.cell}>
        <span className={cells.text}>{url}</span>
        <span className={styles.tags}>
          <Tag minimal>{kind === 'taxii' ? 'TAXII 2.1' : 'MISP'}</Tag>
          {public_key !== null && (
            <Tag minimal intent="success">
              Signature checked
            </Tag>
          )}
        </span>
      </div>
    ),
  },
  {
    name: 'Campaign',
    width: 184,
    cell: ({ campaign_id, campaign_name }) =>
      campaign_name === null ? (
        <span className={cells.muted}>Deleted</span>
      ) : (
        <Link className={cells.text} to={paths.campaign(campaign_id)}>
          {campaign_name}
        </Link>
      ),
  },
  {
    name: 'Last run',
    width: 248,
    cell: subscription => (
      <div className={cells.cell}>
        <span className={subscription.last?.error ? `${cells.text} ${styles.error}` : cells.text}>
          {outcomeOf(subscription)}
        </span>
        {subscription.last && <Ago at={subscription.last.at} />}
        {hasReasons(subscription) && (
          <Button
            variant="minimal"
            size="small"
            text="Show reasons"
            aria-label={`Show reasons of ${subscription.url}`}
            onClick={() => act.explain(subscription)}
          />
        )}
      </div>
    ),
  },
  {
    name: 'Next run',
    width: 136,
    cell: ({ next_at, every, paused }) => (
      <Lines
        first={paused ? <Tag minimal>Paused</Tag> : next_at ? soon(next_at) : 'Running'}
        second={`every ${intervalOf(every)}`}
      />
    ),
  },
  { name: 'Imported', width: 96, isNumber: true, cell: ({ kept }) => formatCount(kept) },
  {
    name: 'Actions',
    width: 152,
    cell: subscription => <RowActions subscription={subscription} act={act} />,
  },
]

function RowActions({ subscription, act }: { subscription: Subscription; act: Actions }) {
  const { paused, state, url, campaign_name } = subscription
  const isAtWork = paused || state === 'fetching' || state === 'importing'
  return (
    <ButtonGroup variant="minimal">
      <Button
        icon={<RefreshIcon />}
        aria-label={`Pull ${url} now`}
        title="Pull now"
        disabled={isAtWork}
        onClick={() => void act.run(subscription)}
      />
      <Button
        icon={paused ? <PlayIcon /> : <PauseIcon />}
        aria-label={`${paused ? 'Resume' : 'Pause'} ${url}`}
        title={paused ? 'Resume' : 'Pause'}
        onClick={() => void (paused ? act.resume(subscription) : act.pause(subscription))}
      />
      <Button
        icon={<EditIcon />}
        aria-label={`Edit ${url}`}
        title="Edit"
        onClick={() => act.edit(subscription)}
      />
      <ConfirmButton
        button={{
          icon: <TrashIcon />,
          'aria-label': `Delete ${url}`,
          title: 'Delete',
          intent: 'danger',
        }}
        title="Delete subscription"
        confirmLabel="Delete"
        onConfirm={() => act.leave(subscription)}
      >
        <p className={cells.text}>
          The subscription to {url} ends. Its imported objects stay in {campaign_name ?? 'its campaign'}.
        </p>
      </ConfirmButton>
    </ButtonGroup>
  )
}

function Ago({ at }: { at: string }) {
  return (
    <time className={cells.muted} dateTime={at}>
      {formatRelative(at)}
    </time>
  )
}

/** Formats the time until the next run: `in 12 min`. */
const soon = (at: string): string => {
  const minutes = Math.ceil((Date.parse(at) - Date.now()) / 60_000)
  return minutes > 0 ? `in ${formatSpan(minutes * 60)}` : 'Due'
}
