import type { AuditItem } from '@iodine/contracts'
import { errorHint, errorToast } from '@iodine/mfe-kit'
import { keepPreviousData, usePagedQuery, useQuery, useQueryClient } from '@iodine/mfe-kit/query'
import {
  Button,
  Callout,
  EmptyState,
  FormGroup,
  formatCount,
  formatDate,
  formatDateTime,
  formatRelative,
  HTMLSelect,
  InputGroup,
  LoadingPanel,
  LoadMore,
  saveFile,
  Tag,
  useDebounce,
} from '@iodine/ui'
import { DownloadIcon } from '@iodine/ui/icons'
import { Dialog, DialogBody } from '@iodine/ui/overlays'
import { useSearchParams } from '@iodine/ui/router'
import { type Column, Table, TableSkeleton } from '@iodine/ui/table'
import { type ReactNode, useMemo, useState } from 'react'
import { useHost } from '../../app/HostProvider'
import styles from './AuditLog.module.css'
import {
  ACTION_CHOICES,
  type AuditQuestion,
  actionOf,
  actorOf,
  faultOf,
  filtersOf,
  originOf,
  subjectOf,
} from './audit-words'

const AUDIT = ['audit']
const PAGE_SIZE = '50'
const FIELDS = ['action', 'by', 'about', 'from', 'to'] as const

/** The filters, which the address keeps. */
function useQuestion() {
  const [search, setSearch] = useSearchParams()
  const question = Object.fromEntries(
    FIELDS.map(name => [name, search.get(name) ?? '']),
  ) as unknown as AuditQuestion
  const change = (name: keyof AuditQuestion, value: string) =>
    setSearch(
      before => {
        const next = new URLSearchParams(before)
        if (value === '') next.delete(name)
        else next.set(name, value)
        return next
      },
      { replace: true },
    )
  const clear = () => setSearch({ tab: search.get('tab') ?? '' }, { replace: true })
  return { question, change, clear }
}

/** The log of what administrators, operators and members do to others' things or in bulk. */
export function AuditLog() {
  const { api } = useHost()
  const { question, change, clear } = useQuestion()
  const [settled] = useDebounce(JSON.stringify(filtersOf(question)), 300)
  const filters = useMemo(() => JSON.parse(settled) as ReturnType<typeof filtersOf>, [settled])
  const [shown, setShown] = useState<AuditItem | null>(null)
  const columns = useMemo(() => columnsOf(setShown), [])
  const query = usePagedQuery({
    queryKey: [...AUDIT, 'list', settled],
    readPage: (page, signal) =>
      api.page('GET /admin/audit', { query: { ...filters, limit: PAGE_SIZE, ...page }, signal }),
    placeholderData: keepPreviousData,
  })
  const isFiltered = Object.keys(filters).length > 0
  return (
    <>
      <ChainState />
      <div className={styles.filters}>
        <FormGroup className={styles.field} label="Action" labelFor="audit-action">
          <HTMLSelect
            id="audit-action"
            fill
            value={question.action}
            onChange={({ currentTarget }) => change('action', currentTarget.value)}
          >
            <option value="">All actions</option>
            {ACTION_CHOICES.map(([name, label]) => (
              <option key={name} value={name}>
                {label}
              </option>
            ))}
          </HTMLSelect>
        </FormGroup>
        <Field name="by" label="Done by" hint="Username, id or operator" {...{ question, change }} />
        <Field name="about" label="About" hint="Username or id" {...{ question, change }} />
        <Field name="from" label="From" type="date" {...{ question, change }} />
        <Field name="to" label="To" type="date" {...{ question, change }} />
        <div className={styles.buttons}>
          {isFiltered && <Button variant="minimal" text="Clear filters" onClick={clear} />}
          <DownloadButton filters={filters} />
        </div>
      </div>
      <LoadingPanel
        query={query}
        errorTitle="Unable to load the audit log"
        errorText={errorHint(query.error)}
        whenStale="both"
        isEmpty={({ pages }) => pages[0]?.items.length === 0}
        skeleton={<TableSkeleton columns={columns} heights={{ row: 56, card: 260 }} />}
        empty={
          isFiltered ? (
            <EmptyState title="No entries" description="Nothing in the log matches these filters." />
          ) : (
            <EmptyState title="No entries yet" />
          )
        }
      >
        {({ pages }) => (
          <>
            <p className={styles.count} role="status">
              {formatCount(pages[0]?.total ?? 0)} {pages[0]?.total === 1 ? 'entry' : 'entries'}
            </p>
            <Table
              items={pages.flatMap(({ items }) => items)}
              label="Audit log"
              columns={columns}
              minWidth={960}
              isBusy={query.isPlaceholderData}
            />
            <LoadMore query={query} text="Show older entries" />
          </>
        )}
      </LoadingPanel>
      <Dialog isOpen={shown !== null} title="Entry of the Audit Log" onClose={() => setShown(null)}>
        <DialogBody>{shown && <Details entry={shown} />}</DialogBody>
      </Dialog>
    </>
  )
}

interface FieldProps {
  name: keyof AuditQuestion
  label: string
  hint?: string
  type?: 'date'
  question: AuditQuestion
  change: (name: keyof AuditQuestion, value: string) => void
}

function Field({ name, label, hint, type, question, change }: FieldProps) {
  const id = `audit-${name}`
  return (
    <FormGroup className={styles.field} label={label} labelFor={id}>
      <InputGroup
        id={id}
        {...(type && { type })}
        {...(hint && { placeholder: hint })}
        maxLength={100}
        autoComplete="off"
        value={question[name]}
        onValueChange={value => change(name, value)}
      />
    </FormGroup>
  )
}

function DownloadButton({ filters }: { filters: ReturnType<typeof filtersOf> }) {
  const { api, notify } = useHost()
  const queryClient = useQueryClient()
  const [working, setWorking] = useState(false)
  const download = async () => {
    setWorking(true)
    try {
      const content = await api.download('GET /admin/audit/export', { query: filters })
      saveFile(`audit-log_${new Date().toISOString().slice(0, 10)}.csv`, content)
    } catch (error) {
      notify(errorToast(error, 'Failed to download the audit log'))
    }
    setWorking(false)
    // The download is an entry itself.
    await queryClient.invalidateQueries({ queryKey: AUDIT })
  }
  return (
    <Button icon={<DownloadIcon />} text="Download CSV" loading={working} onClick={() => void download()} />
  )
}

/** Whether nothing in the log was changed, moved or removed. */
function ChainState() {
  const { api } = useHost()
  const { data, error } = useQuery({
    queryKey: [...AUDIT, 'state'],
    queryFn: () => api.call('GET /admin/audit/state'),
  })
  if (!data)
    return (
      <Callout className={styles.state} compact {...(error && { intent: 'warning' })}>
        {error ? `The chain could not be checked. ${errorHint(error)}` : 'Checking the chain…'}
      </Callout>
    )
  const { fault, entries, since, checked_at } = data
  return (
    <Callout className={styles.state} compact intent={fault ? 'danger' : 'success'}>
      {fault
        ? faultOf(fault)
        : `Chain intact, ${formatCount(entries)} ${entries === 1 ? 'entry' : 'entries'}${since ? ` since ${formatDate(since)}` : ''}.`}{' '}
      <span className={styles.muted}>Checked {formatRelative(checked_at)}.</span>
    </Callout>
  )
}

/** Two lines of a cell. */
function Lines({ first, second }: { first: ReactNode; second?: ReactNode }) {
  return (
    <div className={styles.cell}>
      <span className={styles.text}>{first}</span>
      {second && <span className={styles.muted}>{second}</span>}
    </div>
  )
}

const columnsOf = (show: (entry: AuditItem) => void): readonly Column<AuditItem>[] => [
  {
    name: 'When',
    width: 184,
    isNamed: true,
    cell: ({ at }) => (
      <Lines first={<time dateTime={at}>{formatDateTime(at)}</time>} second={formatRelative(at)} />
    ),
  },
  {
    name: 'Who',
    isNamed: true,
    cell: entry => <Lines first={actorOf(entry)} second={originOf(entry)} />,
  },
  {
    name: 'What',
    isNamed: true,
    cell: entry => (
      <div className={styles.cell}>
        <span className={styles.text}>{actionOf(entry)}</span>
        {(entry.times > 1 || entry.outcome === 'unknown') && (
          <span className={styles.tags}>
            {entry.times > 1 && <Tag minimal>{formatCount(entry.times)} times</Tag>}
            {entry.outcome === 'unknown' && (
              <Tag minimal intent="warning">
                Outcome unknown
              </Tag>
            )}
          </span>
        )}
      </div>
    ),
  },
  {
    name: 'On what',
    width: 208,
    isNamed: true,
    cell: entry => <Lines first={subjectOf(entry)} second={entry.subject.id} />,
  },
  {
    name: 'Count',
    width: 80,
    isNumber: true,
    isNamed: true,
    cell: ({ count }) => (count === null ? '—' : formatCount(count)),
  },
  {
    name: 'Actions',
    width: 104,
    isNamed: true,
    cell: entry => (
      <Button text="Details" aria-label={`Details of entry ${entry.seq}`} onClick={() => show(entry)} />
    ),
  },
]

/** All that an entry holds. */
function Details({ entry }: { entry: AuditItem }) {
  const { at, count, times, outcome, subject, item, request_id, settings, checkpoint, seq, prev, hash, id } =
    entry
  const rows: [string, ReactNode][] = [
    ['Entry', formatCount(seq)],
    ['When', formatDateTime(at)],
    ['Who', actorOf(entry)],
    ['Account', entry.actor.id],
    ['From', originOf(entry)],
    ['What', actionOf(entry)],
    ['Outcome', outcome === 'done' ? 'Done' : 'Unknown: it was cut off, and may have been done in part'],
    ['On what', subjectOf(entry)],
    ['Its id', subject.id],
    ['Part of it', item],
    ['Count', count === null ? null : formatCount(count)],
    ['Times', times > 1 ? formatCount(times) : null],
    [
      'Settings',
      settings && (
        <ul className={styles.settings}>
          {settings.map(({ name, change, fingerprint }) => (
            <li key={name}>
              {name} {change}
              {fingerprint && <span className={styles.muted}> {fingerprint}</span>}
            </li>
          ))}
        </ul>
      ),
    ],
    ['Removed up to', checkpoint && `Entry ${formatCount(checkpoint.seq)}, ${checkpoint.hash}`],
    ['Request', request_id],
    ['Id', id],
    ['Hash', hash],
    ['Hash before', prev],
  ]
  return (
    <dl className={styles.details}>
      {rows.map(([name, value]) =>
        value ? (
          <div key={name} className={styles.detail}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ) : null,
      )}
    </dl>
  )
}
