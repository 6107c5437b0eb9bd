import { type AdminQueue, BACKUP_FAULTS, type BackupItem, type PartState } from '@iodine/contracts'
import { formatSpan, useHost } from '@iodine/mfe-kit'
import { useQuery } from '@iodine/mfe-kit/query'
import {
  Callout,
  DateTime,
  formatCount,
  formatDateTime,
  formatRelative,
  LoadingPanel,
  type LoadingPanelProps,
  Tag,
} from '@iodine/ui'
import { type Column, Table, TableSkeleton } from '@iodine/ui/table'
import { FailedWork } from './FailedWork'
import styles from './System.module.css'

const REFETCH_MS = 5_000

/** Backups, services and queues of background work, refetched every few seconds. */
export function System() {
  const { api } = useHost()
  const backups = usePolled('backups', () => api.call('GET /admin/backups'))
  const parts = usePolled('parts', () => api.call('GET /admin/parts'))
  const queues = usePolled('queues', () => api.call('GET /admin/queues'))
  return (
    <>
      <Part title="Backups" query={backups}>
        {all => <Backups backups={all} />}
      </Part>
      {/* Sections are rendered from top to bottom, to avoid layout shifts while they load. */}
      {!backups.isPending && (
        <Part
          title="Services"
          query={parts}
          skeleton={<TableSkeleton columns={SERVICE_COLUMNS} heights={{ row: 40, card: 200 }} />}
        >
          {all => <Services parts={all} />}
        </Part>
      )}
      {!backups.isPending && !parts.isPending && (
        <Part
          title="Queues"
          query={queues}
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
        </Part>
      )}
      {!backups.isPending && !parts.isPending && !queues.isPending && <FailedWork />}
    </>
  )
}

const usePolled = <T,>(key: string, queryFn: () => Promise<T>) =>
  useQuery({ queryKey: [key], queryFn, refetchInterval: REFETCH_MS })

function Part<T>({ title, ...panel }: { title: string } & Omit<LoadingPanelProps<T>, 'errorTitle'>) {
  return (
    <section className={styles.section}>
      <h2 className={styles.title}>{title}</h2>
      <LoadingPanel {...panel} errorTitle={`Unable to load the ${title.toLowerCase()}`} />
    </section>
  )
}

const DAY_MS = 86_400_000

type Warning = ['warning' | 'danger', string]

/** Returns a warning if the last backup is missing or too old. */
const ageWarningOf = (made: BackupItem | undefined): Warning[] => {
  if (!made)
    return [['warning', 'No backup is known. Create one, or have your own backup tool report its backups.']]
  const age = Date.now() - Date.parse(made.ended_at)
  if (age > 7 * DAY_MS) return [['danger', 'The last known backup is older than a week.']]
  return age > DAY_MS ? [['warning', 'The last known backup is older than a day.']] : []
}

/** Returns the warnings about the last backups. `backups` begin with the newest. */
const warningsOf = (backups: BackupItem[]): Warning[] => {
  const [last] = backups
  return [
    ...(last?.fault ? [['danger', `The last backup failed: ${BACKUP_FAULTS[last.fault]}.`] as Warning] : []),
    ...ageWarningOf(backups.find(({ fault }) => fault === null)),
  ]
}

function Backups({ backups }: { backups: BackupItem[] }) {
  return (
    <>
      {warningsOf(backups).map(([intent, text]) => (
        <Callout key={text} className={styles.notice} intent={intent} compact>
          {text}
        </Callout>
      ))}
      {backups.length > 0 && (
        <div className={styles.backups}>
          <Table
            items={backups.map(each => ({ ...each, id: each.ended_at }))}
            label="Backups"
            columns={BACKUP_COLUMNS}
            minWidth={640}
          />
        </div>
      )}
    </>
  )
}

const BACKUP_COLUMNS: readonly Column<BackupItem & { id: string }>[] = [
  {
    name: 'When',
    width: 208,
    cell: ({ ended_at }) => <DateTime value={ended_at} format={formatDateTime} />,
  },
  {
    name: 'Outcome',
    cell: ({ fault }) => (
      <span className={styles.cell}>
        <Tag minimal intent={fault ? 'danger' : 'success'}>
          {fault ? 'failed' : 'completed'}
        </Tag>
        {fault && <span className={styles.text}>{BACKUP_FAULTS[fault]}</span>}
      </span>
    ),
  },
  {
    name: 'Size',
    width: 144,
    isNumber: true,
    cell: ({ bytes }) => (bytes === null ? '—' : `${formatCount(Math.ceil(bytes / 2 ** 20))} MiB`),
  },
  {
    name: 'Duration',
    width: 112,
    isNumber: true,
    cell: ({ duration_ms }) => formatSpan(duration_ms / 1_000),
  },
]

function State({ state, name }: { state: 'up' | 'down'; name?: string }) {
  return (
    <Tag minimal intent={state === 'up' ? 'success' : 'danger'}>
      {[name, state].filter(Boolean).join(' ')}
    </Tag>
  )
}

/**
 * Returns the process if all services that respond run in the same one, else null. The start time identifies a process:
 * its memory changes between the responses of two services.
 */
const commonProcessOf = (parts: readonly PartState[]): PartState['process'] => {
  const processes = parts.flatMap(({ process }) => process ?? [])
  const [first] = processes
  const isCommon = processes.every(({ started_at }) => started_at === first?.started_at)
  return first && processes.length > 1 && isCommon ? first : null
}

type Process = NonNullable<PartState['process']>

const memoryOf = ({ memory_bytes }: Process) => `${formatCount(Math.round(memory_bytes / 2 ** 20))} MiB`
const delayOf = ({ event_loop_p99_ms }: Process) => `${Math.round(event_loop_p99_ms)} ms`

const DELAY_LABEL = 'Event-loop delay (p99)'
const DELAY_HELP =
  'Event-loop delay is the time that a task waits before it runs. 99 % of tasks wait less than the p99 value; a high value means that the process is overloaded.'

function Services({ parts }: { parts: PartState[] }) {
  const common = commonProcessOf(parts)
  return (
    <>
      {common && (
        <p className={styles.notice}>
          All services run in one process. Started:{' '}
          <DateTime value={common.started_at} format={formatRelative} />. Memory: {memoryOf(common)}.{' '}
          {DELAY_LABEL}: {delayOf(common)}.
        </p>
      )}
      <p className={`${styles.notice} ${styles.help}`}>{DELAY_HELP}</p>
      <Table
        items={parts.map(part => ({ ...part, id: part.name }))}
        label="Services"
        columns={common ? SERVICE_COLUMNS : [...SERVICE_COLUMNS, ...PROCESS_COLUMNS]}
        minWidth={common ? 480 : 768}
      />
    </>
  )
}

type ServiceColumn = Column<PartState & { id: string }>

const SERVICE_COLUMNS: readonly ServiceColumn[] = [
  { name: 'Service', cell: ({ name }) => name },
  { name: 'State', width: 104, cell: ({ state }) => <State state={state} /> },
  {
    name: 'Dependencies',
    width: 224,
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
]

const PROCESS_COLUMNS: readonly ServiceColumn[] = [
  {
    name: 'Started',
    width: 136,
    cell: ({ process }) => (process ? <DateTime value={process.started_at} format={formatRelative} /> : '—'),
  },
  {
    name: 'Memory',
    width: 104,
    isNumber: true,
    cell: ({ process }) => (process ? memoryOf(process) : '—'),
  },
  {
    name: DELAY_LABEL,
    width: 184,
    isNumber: true,
    cell: ({ process }) => (process ? delayOf(process) : '—'),
  },
]

const count = (
  name: string,
  of: 'waiting' | 'active' | 'delayed' | 'failed',
): Column<AdminQueue & { id: string }> => ({
  name,
  width: 88,
  isNumber: true,
  cell: ({ jobs }) => (jobs ? formatCount(jobs[of]) : '—'),
})

const QUEUE_LABELS: Partial<Record<string, string>> = {
  extraction: 'Narrative extraction',
  mail: 'Emails',
  canon: 'Grouping of narrative variants',
  subscriptions: 'Feed subscriptions',
  techniques: 'Proposals of techniques',
  webhooks: 'Webhooks',
  anchors: 'Timestamps of sealed evidence',
} satisfies Record<AdminQueue['name'], string>

const QUEUE_COLUMNS: readonly Column<AdminQueue & { id: string }>[] = [
  { name: 'Queue', cell: ({ name }) => QUEUE_LABELS[name] ?? name },
  count('Waiting', 'waiting'),
  count('Active', 'active'),
  count('Delayed', 'delayed'),
  count('Failed', 'failed'),
  {
    name: 'Oldest job',
    width: 104,
    cell: ({ oldest_seconds }) => (oldest_seconds === 0 ? '—' : formatSpan(oldest_seconds)),
  },
  {
    name: 'Schedule',
    width: 104,
    cell: ({ every_ms }) => (every_ms === null ? '—' : `every ${formatSpan(every_ms / 1_000)}`),
  },
  {
    name: 'Last failure',
    width: 200,
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
