import {
  EmptyState,
  formatAmount,
  formatCount,
  formatDateTime,
  formatRelative,
  LoadingPanel,
  Page,
  PageHeader,
} from '@iodine/ui'
import { DocumentIcon } from '@iodine/ui/icons'
import { ConfirmButton } from '@iodine/ui/overlays'
import { type Column, Table } from '@iodine/ui/table'
import { useQuoted } from '../../queries/reports'
import styles from './reports.module.css'

type Quoting = NonNullable<ReturnType<typeof useQuoted>['query']['data']>[number]
const CARD = '"title" "items" "until" "actions" / 1fr'

/** Reports in review that quote the user, who can take their content out. */
export function QuotedReportsPage() {
  const { query, takeOut } = useQuoted()
  return (
    <Page>
      <PageHeader
        title="Reports that quote you"
        subtitle="Public reports in review that contain your evidence or IODs. You can take them out."
      />
      <LoadingPanel
        query={query}
        errorTitle="Failed to load the reports"
        empty={
          <EmptyState
            icon={<DocumentIcon size={40} />}
            title="No report in review quotes you"
            description="When a member hands in a report with your evidence or IODs, it appears here for 72 hours or longer."
          />
        }
      >
        {reports => (
          <Table
            items={reports}
            label="Reports that quote you"
            columns={columnsFor(takeOut)}
            minWidth={820}
            cardTemplate={CARD}
          />
        )}
      </LoadingPanel>
    </Page>
  )
}

const columnsFor = (takeOut: (id: string) => Promise<unknown>): readonly Column<Quoting>[] => [
  {
    name: 'Report',
    area: 'title',
    cell: ({ title }) => (
      <span className={styles.value} dir="auto">
        {title}
      </span>
    ),
  },
  {
    name: 'Your content',
    area: 'items',
    isNamed: true,
    cell: ({ items, texts }) => (
      <ul className={styles.list}>
        {texts.map((text, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: texts may be equal, and never change places
          <li key={at} className={styles.value} dir="auto">
            {text}
          </li>
        ))}
        {items > texts.length && <li className={styles.note}>{formatCount(items - texts.length)} more</li>}
      </ul>
    ),
  },
  {
    name: 'Earliest approval',
    width: 264,
    area: 'until',
    isNamed: true,
    cell: ({ until }) => `${formatDateTime(until)} (${formatRelative(until)})`,
  },
  {
    name: 'Actions',
    width: 184,
    area: 'actions',
    cell: ({ id, title, items }) => (
      <ConfirmButton
        button={{ text: 'Take my quotes out', 'aria-label': `Take my quotes out of ${title}` }}
        title="Take my quotes out"
        confirmLabel="Take out"
        onConfirm={() => takeOut(id)}
      >
        <p>
          The report is made again without your {formatAmount(items, 'item')}. This cannot be undone for this
          report.
        </p>
      </ConfirmButton>
    ),
  },
]
