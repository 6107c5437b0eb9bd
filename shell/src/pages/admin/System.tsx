import { type AdminQueue, BACKUP_FAULTS, type BackupItem, type PartState } from '@iodine/contracts'
import { useHost } from '@iodine/mfe-kit'
import { useQuery } from '@iodine/mfe-kit/query'
import { Callout, DateTime, formatCount, formatDateTime, formatRelative, LoadingPanel, Tag } from '@iodine/ui'
import { type Column, Table, TableSkeleton } from '@iodine/ui/table'
import { FailedWork } from './FailedWork'
import styles from './System.module.css'

const REFETCH_MS = 5_000

/** Parts of the product, queues of background work and backups, read again every few seconds. */
export function System() {
  const { api } = useHost()
  const parts = useQuery({
    queryKey: ['parts'],
    queryFn: () => api.call('GET /admin/parts'),
    refetchInterval: REFETCH_MS,
  })
  const queues = useQuery({
    queryKey: ['queues'],
    queryFn: () => api.call('GET /admin/queues'),
    refetchInterval: REFETCH_MS,
  })
  return (
    <>
      <section className={styles.section}>
        <h2 className={styles.title}>Parts</h2>
        <LoadingPanel
          query={parts}
          errorTitle="Unable to load the parts"
          skeleton={<TableSkeleton columns={PART_COLUMNS} heights={{ row: 40, card: 200 }} />}
        >
          {all => (
            <Table
              items={all.map(part => ({ ...part, id: part.name }))}
              label="Parts"
              columns={PART_COLUMNS}
              minWidth={720}
            />
          )}
        </LoadingPanel>
      </section>
      {/* Each section waits for the one above: nothing moves while they load. */}
      {!parts.isPending && (
        <section className={styles.section}>
          <h2 className={styles.title}>Queues</h2>
          <LoadingPanel
            query={queues}
            errorTitle="Unable to load the queues"
            skeleton={<TableSkeleton columns={QUEUE_COLUMNS} heights={{ row: 40, card: 260 }} />}
          >
            {all => (
              <Table
                items={all.map(queue => ({ ...queue, id: queue.name }))}
                label="Queues"
                columns={QUEUE_COLUMNS}
                minWidth={880}
              />
            )}
          </LoadingPanel>
        </section>
      )}
      {!parts.isPending && !queues.isPending && (
        <>
          <FailedWork />
          <Backups />
        </>
      )}
    </>
  )
}

const DAY_MS = 86_400_000

type Warning = ['warning' | 'danger', string]

/** The warning that the age of the last backup asks for, if any. */
const ageWarningOf = (made: BackupItem | undefined): Warning[] => {
  if (!made) return [['warning', 'No backup is known. Make one, or have your own tools tell of theirs.']]
  const age = Date.now() - Date.parse(made.ended_at)
  if (age > 7 * DAY_MS) return [['danger', 'The last known backup is older than a week.']]
  return age > DAY_MS ? [['warning', 'The last known backup is older than a day.']] : []
}

/** What the last backups call for, newest first. */
const warningsOf = (backups: BackupItem[]): Warning[] => {
  const [last] = backups
  return [
    ...(last?.fault ? [['danger', `The last backup failed: ${BACKUP_FAULTS[last.fault]}.`] as Warning] : []),
    ...ageWarningOf(backups.find(({ fault }) => fault === null)),
  ]
}

function Backups() {
  const { api } = useHost()
  const query = useQuery({
    queryKey: ['backups'],
    queryFn: () => api.call('GET /admin/backups'),
    refetchInterval: REFETCH_MS,
  })
  return (
    <section className={styles.section}>
      <h2 className={styles.title}>Backups</h2>
      <LoadingPanel query={query} errorTitle="Unable to load the backups">
        {all => (
          <>
            {warningsOf(all).map(([intent, text]) => (
              <Callout key={text} className={styles.notice} intent={intent} compact>
                {text}
              </Callout>
            ))}
            {all.length > 0 && (
              <Table
                items={all.map(each => ({ ...each, id: each.ended_at }))}
                label="Backups"
                columns={BACKUP_COLUMNS}
                minWidth={640}
              />
            )}
          </>
        )}
      </LoadingPanel>
    </section>
  )
}

const BACKUP_COLUMNS: readonly Column<BackupItem & { id: string }>[] = [
  {
    name: 'When',
    width: 208,
    isNamed: true,
    cell: ({ ended_at }) => <DateTime value={ended_at} format={formatDateTime} />,
  },
  {
    name: 'Outcome',
    isNamed: true,
    cell: ({ fault }) => (
      <span className={styles.cell}>
        <Tag minimal intent={fault ? 'danger' : 'success'}>
          {fault ? 'failed' : 'made'}
        </Tag>
        {fault && <span className={styles.text}>{BACKUP_FAULTS[fault]}</span>}
      </span>
    ),
  },
  {
    name: 'Size',
    width: 144,
    isNumber: true,
    isNamed: true,
    cell: ({ bytes }) => (bytes === null ? '—' : `${formatCount(Math.ceil(bytes / 2 ** 20))} MiB`),
  },
  {
    name: 'Took',
    width: 112,
    isNumber: true,
    isNamed: true,
    cell: ({ duration_ms }) => span(duration_ms),
  },
]

function State({ state, name }: { state: 'up' | 'down'; name?: string }) {
  return (
    <Tag minimal intent={state === 'up' ? 'success' : 'danger'}>
      {[name, state].filter(Boolean).join(' ')}
    </Tag>
  )
}

const PART_COLUMNS: readonly Column<PartState & { id: string }>[] = [
  { name: 'Part', isNamed: true, cell: ({ name }) => name },
  { name: 'State', width: 104, isNamed: true, cell: ({ state }) => <State state={state} /> },
  {
    name: 'Needs',
    width: 224,
    isNamed: true,
    cell: ({ dependencies }) =>
      dependencies ? (
        <span className={styles.cell}>
          {Object.entries(dependencies).map(([name, state]) => (
            <State key={name} name={name} state={state} />
          ))}
        </span>
      ) : (
        '—'
      ),
  },
  {
    name: 'Started',
    width: 136,
    isNamed: true,
    cell: ({ process }) => (process ? <DateTime value={process.started_at} format={formatRelative} /> : '—'),
  },
  {
    name: 'Memory',
    width: 104,
    isNumber: true,
    isNamed: true,
    cell: ({ process }) => (process ? `${formatCount(Math.round(process.memory_bytes / 2 ** 20))} MiB` : '—'),
  },
  {
    name: 'Loop delay',
    width: 112,
    isNumber: true,
    isNamed: true,
    cell: ({ process }) => (process ? `${Math.round(process.event_loop_p99_ms)} ms` : '—'),
  },
]

/** A span of time, in its largest fitting unit. */
const span = (ms: number): string => {
  if (ms < 120_000) return `${Math.round(ms / 1_000)} s`
  return ms < 7_200_000 ? `${Math.round(ms / 60_000)} min` : `${Math.round(ms / 3_600_000)} h`
}

const count = (
  name: string,
  of: 'waiting' | 'active' | 'delayed' | 'failed',
): Column<AdminQueue & { id: string }> => ({
  name,
  width: 88,
  isNumber: true,
  isNamed: true,
  cell: ({ jobs }) => (jobs ? formatCount(jobs[of]) : '—'),
})

const QUEUE_COLUMNS: readonly Column<AdminQueue & { id: string }>[] = [
  { name: 'Queue', isNamed: true, cell: ({ name }) => name },
  count('Waiting', 'waiting'),
  count('Active', 'active'),
  count('Delayed', 'delayed'),
  count('Failed', 'failed'),
  {
    name: 'Oldest job',
    width: 104,
    isNamed: true,
    cell: ({ oldest_seconds }) => (oldest_seconds === 0 ? '—' : span(oldest_seconds * 1_000)),
  },
  {
    name: 'Schedule',
    width: 104,
    isNamed: true,
    cell: ({ every_ms }) => (every_ms === null ? '—' : `every ${span(every_ms)}`),
  },
  {
    name: 'Last failure',
    width: 200,
    isNamed: true,
    cell: ({ last_failure }) =>
      last_failure ? (
        <span className={styles.text}>
          {last_failure.reason} <DateTime value={last_failure.at} format={formatRelative} />
        </span>
      ) : (
        '—'
      ),
  },
]
