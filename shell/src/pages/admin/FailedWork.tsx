import type { AdminFailedWork } from '@iodine/contracts'
import { useAction, useHost } from '@iodine/mfe-kit'
import { useQuery } from '@iodine/mfe-kit/query'
import { Button, ButtonGroup, DateTime, formatCount, formatRelative, LoadingPanel } from '@iodine/ui'
import { RefreshIcon, TrashIcon } from '@iodine/ui/icons'
import { ConfirmButton } from '@iodine/ui/overlays'
import { type Column, Table } from '@iodine/ui/table'
import styles from './System.module.css'

const CARD = '"service work" "reason reason" "attempts failed" "actions actions" / 1fr 1fr'
const QUERY_KEY = ['failed-work']
const REFETCH_MS = 5_000

/** Work that failed permanently, with buttons to retry or remove it. Renders nothing if there is none. */
export function FailedWork() {
  const { api } = useHost()
  const query = useQuery({
    queryKey: QUERY_KEY,
    queryFn: () => api.call('GET /admin/failed-work'),
    refetchInterval: REFETCH_MS,
  })
  const call = ({ service, id }: AdminFailedWork, action: 'retry' | 'drop') =>
    api.call('POST /admin/failed-work/:service/:id', { params: { service, id }, body: { action } })
  const retry = useAction({
    mutationFn: (work: AdminFailedWork) => call(work, 'retry'),
    done: { title: 'Retry started', duration: 3000 },
    failed: 'Unable to retry the work',
    invalidates: [QUERY_KEY],
  })
  const drop = useAction({
    mutationFn: (work: AdminFailedWork) => call(work, 'drop'),
    done: { title: 'Failed work removed', duration: 3000 },
    failed: 'Unable to remove the work',
    invalidates: [QUERY_KEY],
  })
  const columns = columnsOf({ retry: retry.run, drop: drop.run })
  // The section is hidden while the list loads, because the list is mostly empty.
  if (query.isPending || query.data?.length === 0) return null
  return (
    <section className={styles.section}>
      <h2 className={styles.title}>Failed work</h2>
      <p className={styles.notice}>
        The services retry each entry once a day. Failed work does not delay other work.
      </p>
      <LoadingPanel query={query} errorTitle="Unable to load the failed work">
        {all => (
          <Table items={all} label="Failed work" columns={columns} minWidth={880} cardTemplate={CARD} />
        )}
      </LoadingPanel>
    </section>
  )
}

const WORK_LABELS: Partial<Record<string, string>> = {
  audit: 'Audit entries',
  'audit.open': 'Unfinished audit entries',
  canon: 'Grouping of narrative variants',
  'capture.erased': 'Erasure of captures',
  'data-export': 'Export of an account’s data',
  extraction: 'Narrative extraction',
  import: 'Import into a campaign',
  'iod.created': 'New IODs for the community',
  'limits.changed': 'Changed limits of accounts',
  mail: 'Emails',
  'narrative.changed': 'Changed narratives for the community',
  'narrative.expired': 'Erasure of removed narratives',
  publication: 'Publication of a campaign',
  'record.deleted': 'Erasure of deleted records',
  'records.changed': 'Changed records for Origins',
  'records.compared': 'Comparison of records with IODs',
  'records.requested': 'Index of Origins',
  run: 'Search for co-shares',
  snapshot: 'Counts of Origins',
  sums: 'Sums of the graph',
  'token.ended': 'Ended sessions and tokens',
  'user.changed': 'Changed accounts',
  'user.deleted': 'Deletion of an account',
}
/** Returns the name of an outbox kind in words. Other versions of a service may have other kinds. */
const workOf = (kind: string): string => WORK_LABELS[kind] ?? kind

type Act = (work: AdminFailedWork) => Promise<unknown>

const columnsOf = ({ retry, drop }: { retry: Act; drop: Act }): readonly Column<AdminFailedWork>[] => [
  { name: 'Service', width: 112, area: 'service', isNamed: true, cell: ({ service }) => service },
  {
    name: 'Work',
    width: 184,
    area: 'work',
    isNamed: true,
    cell: ({ kind }) => (
      <span className={styles.text} title={kind}>
        {workOf(kind)}
      </span>
    ),
  },
  {
    name: 'Reason',
    area: 'reason',
    isNamed: true,
    cell: ({ error }) => <span className={styles.text}>{error}</span>,
  },
  {
    name: 'Attempts',
    width: 88,
    area: 'attempts',
    isNumber: true,
    isNamed: true,
    cell: ({ attempts }) => formatCount(attempts),
  },
  {
    name: 'Failed',
    width: 136,
    area: 'failed',
    isNamed: true,
    cell: ({ failed_at }) => <DateTime value={failed_at} format={formatRelative} />,
  },
  {
    name: 'Actions',
    width: 96,
    area: 'actions',
    cell: work => (
      <ButtonGroup variant="minimal">
        <Button
          icon={<RefreshIcon />}
          aria-label={`Retry ${workOf(work.kind)}`}
          title="Retry"
          onClick={() => void retry(work)}
        />
        <ConfirmButton
          button={{
            icon: <TrashIcon />,
            'aria-label': `Remove ${workOf(work.kind)}`,
            title: 'Remove',
            intent: 'danger',
          }}
          title="Remove failed work"
          confirmLabel="Remove"
          onConfirm={() => drop(work)}
        >
          <p className={styles.text}>
            The service {work.service} will never complete this work: {workOf(work.kind)}. This cannot be
            undone.
          </p>
        </ConfirmButton>
      </ButtonGroup>
    ),
  },
]
