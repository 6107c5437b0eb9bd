import type { AuditItem } from '@iodine/contracts'
import { useAction, useHost } from '@iodine/mfe-kit'
import { keepPreviousData, usePagedQuery } from '@iodine/mfe-kit/query'
import {
  Button,
  EmptyState,
  formatAmount,
  formatCount,
  formatDateTime,
  formatRelative,
  LoadingPanel,
  LoadMore,
  saveFile,
  Tag,
} from '@iodine/ui'
import { DownloadIcon } from '@iodine/ui/icons'
import { type Column, Table, TableSkeleton } from '@iodine/ui/table'
import { useMemo, useState } from 'react'
import { AUDIT, AuditChain } from './AuditChain'
import { AuditEntryDialog } from './AuditEntryDialog'
import { AuditFilters, useAuditFilters } from './AuditFilters'
import styles from './AuditLog.module.css'
import { actionOf, actorOf, filtersOf, originOf, subjectOf } from './audit-words'
import cells from './cells.module.css'
import { Lines } from './Lines'

const PAGE_SIZE = '50'

/** The audit log: actions of administrators, operators and members on other users' data or in bulk. */
export function AuditLog() {
  const { api } = useHost()
  const { values, change, clear } = useAuditFilters()
  const filters = filtersOf(values)
  const isFiltered = Object.keys(filters).length > 0
  const [shown, setShown] = useState<AuditItem | null>(null)
  const columns = useMemo(() => columnsOf(setShown), [])
  const query = usePagedQuery({
    queryKey: [...AUDIT, 'list', filters],
    readPage: (page, signal) =>
      api.page('GET /admin/audit', { query: { ...filters, limit: PAGE_SIZE, ...page }, signal }),
    placeholderData: keepPreviousData,
  })
  const { total } = query
  const clearButton = <Button text="Clear filters" onClick={clear} />
  return (
    <div className={styles.panel}>
      <AuditChain />
      <AuditFilters values={values} change={change} />
      <div className={styles.bar}>
        <span className={styles.count} role="status">
          {typeof total === 'number' && formatAmount(total, 'entry', 'entries')}
        </span>
        {isFiltered && total !== 0 && clearButton}
        <DownloadButton filters={filters} />
      </div>
      <LoadingPanel
        query={query}
        errorTitle="Unable to load the audit log"
        skeleton={<TableSkeleton columns={columns} heights={{ row: 56, card: 260 }} />}
        empty={
          isFiltered ? (
            <EmptyState
              title="No entries"
              description="No entry matches these filters."
              action={clearButton}
            />
          ) : (
            <EmptyState title="No entries yet" />
          )
        }
      >
        {items => (
          <>
            <Table
              items={items}
              label="Audit log"
              columns={columns}
              minWidth={984}
              isBusy={query.isPlaceholderData}
            />
            <LoadMore query={query.more} text="Show older entries" />
          </>
        )}
      </LoadingPanel>
      <AuditEntryDialog entry={shown} onClose={() => setShown(null)} />
    </div>
  )
}

function DownloadButton({ filters }: { filters: ReturnType<typeof filtersOf> }) {
  const { api } = useHost()
  const download = useAction({
    mutationFn: async () => {
      const content = await api.download('GET /admin/audit/export', { query: filters })
      saveFile(`audit-log_${new Date().toISOString().slice(0, 10)}.csv`, content)
    },
    failed: 'Failed to download the audit log',
    // The download adds an entry.
    invalidates: [AUDIT],
  })
  return (
    <Button
      icon={<DownloadIcon />}
      text="Download CSV"
      loading={download.isPending}
      onClick={() => void download.run()}
    />
  )
}

const columnsOf = (show: (entry: AuditItem) => void): readonly Column<AuditItem>[] => [
  {
    name: 'Time',
    width: 208,
    cell: ({ at }) => (
      <Lines first={<time dateTime={at}>{formatDateTime(at)}</time>} second={formatRelative(at)} />
    ),
  },
  {
    name: 'Actor',
    cell: entry => <Lines first={actorOf(entry)} second={originOf(entry)} />,
  },
  {
    name: 'Action',
    cell: entry => (
      <div className={cells.cell}>
        <span className={cells.text}>{actionOf(entry)}</span>
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
    name: 'Target',
    width: 208,
    cell: entry => <Lines first={subjectOf(entry)} second={entry.subject.id} />,
  },
  {
    name: 'Count',
    width: 80,
    isNumber: true,
    cell: ({ count }) => (count === null ? '—' : formatCount(count)),
  },
  {
    name: 'Actions',
    width: 104,
    cell: entry => (
      <Button text="Details" aria-label={`Details of entry ${entry.seq}`} onClick={() => show(entry)} />
    ),
  },
]
