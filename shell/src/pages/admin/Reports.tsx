import type { ReportSummary } from '@iodine/contracts'
import { paths, SectionLink, useHost } from '@iodine/mfe-kit'
import { useQuery } from '@iodine/mfe-kit/query'
import { EmptyState, LoadingPanel } from '@iodine/ui'
import { DocumentIcon } from '@iodine/ui/icons'
import { type Column, Table } from '@iodine/ui/table'
import cells from './cells.module.css'

const CARD = '"title" "version" "author" / 1fr'

/** The reports that wait for review, each with a link to its page. */
export function Reports() {
  const { api, config } = useHost()
  const query = useQuery({
    queryKey: ['reports', 'reviews'],
    queryFn: ({ signal }) => api.call('GET /reports/reviews', { signal }),
  })
  return (
    <LoadingPanel
      query={query}
      errorTitle="Unable to load the reports"
      empty={
        <EmptyState
          icon={<DocumentIcon size={40} />}
          title="No reports in review"
          description={
            config.reports
              ? 'Authors hand reports in from the page of their campaign.'
              : 'Public reports are off at this site: the setting REPORTS turns them on.'
          }
        />
      }
    >
      {reports => (
        <Table
          items={reports}
          label="Reports in review"
          columns={COLUMNS}
          minWidth={560}
          cardTemplate={CARD}
        />
      )}
    </LoadingPanel>
  )
}

const COLUMNS: readonly Column<ReportSummary>[] = [
  {
    name: 'Report',
    area: 'title',
    cell: ({ id, title }) => (
      <span className={cells.text} dir="auto">
        <SectionLink to={paths.report(id)}>{title}</SectionLink>
      </span>
    ),
  },
  {
    name: 'Published before',
    width: 176,
    area: 'version',
    isNamed: true,
    cell: ({ latest }) => (latest === null ? 'No' : `Version ${latest}`),
  },
  {
    name: 'Reviewer',
    width: 232,
    area: 'author',
    isNamed: true,
    cell: ({ own }) => (own ? 'Another administrator: it is yours' : 'You can review it'),
  },
]
