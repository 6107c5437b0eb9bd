import type { CampaignDetail, ReportSummary } from '@iodine/contracts'
import { errorDetail, paths, SectionLink, useHost } from '@iodine/mfe-kit'
import { Button, Callout, EmptyState, LoadingPanel, Tag } from '@iodine/ui'
import { DocumentIcon, PlusIcon } from '@iodine/ui/icons'
import { type Column, Table } from '@iodine/ui/table'
import { useState } from 'react'
import { pagePath, tagsOf } from '../model/reports'
import { useCreateReport, useReports } from '../queries/reports'
import styles from './CampaignReports.module.css'

const CARD = '"title" "state" "page" / 1fr'

/** The public reports of a campaign. Its creator can write one. */
export function CampaignReports({ campaign }: { campaign: CampaignDetail }) {
  const { config, session } = useHost()
  const query = useReports(campaign.id)
  const [problem, setProblem] = useState('')
  const create = useCreateReport(campaign.id, error => setProblem(errorDetail(error, 'Please try again.')))
  const isCreator = campaign.created_by_id === session.user.id
  const button = isCreator && config.reports && (
    <Button
      intent="primary"
      icon={<PlusIcon />}
      text="New report"
      loading={create.isPending}
      onClick={() => {
        setProblem('')
        void create.run()
      }}
    />
  )
  return (
    <div className={styles.frame}>
      {problem && (
        <Callout role="alert" intent="warning" compact title="No report was created">
          {problem}
        </Callout>
      )}
      <LoadingPanel
        query={query}
        errorTitle="Failed to load the reports"
        empty={
          <EmptyState
            icon={<DocumentIcon size={40} />}
            title="No reports of this campaign yet"
            description={emptyText(config.reports, isCreator)}
            {...(button && { action: button })}
          />
        }
      >
        {reports => (
          <>
            {button && <div className={styles.bar}>{button}</div>}
            <Table
              items={reports}
              label="Reports"
              columns={columnsFor(session.user.is_admin)}
              minWidth={480}
              cardTemplate={CARD}
            />
          </>
        )}
      </LoadingPanel>
    </div>
  )
}

const emptyText = (areOn: boolean, isCreator: boolean): string => {
  if (!areOn) return 'Public reports are off at this site. Its operator can turn them on.'
  return isCreator
    ? 'A report is a public page with findings and their evidence. An administrator reviews it first.'
    : 'The creator of the campaign can publish a report.'
}

const columnsFor = (isAdmin: boolean): readonly Column<ReportSummary>[] => [
  {
    name: 'Title',
    area: 'title',
    cell: report => (
      <span className={styles.title} dir="auto">
        {report.own || isAdmin ? (
          <SectionLink to={paths.report(report.id)}>{report.title}</SectionLink>
        ) : (
          report.title
        )}
      </span>
    ),
  },
  {
    name: 'State',
    width: 232,
    area: 'state',
    cell: report => (
      <span className={styles.tags}>
        {tagsOf(report).map(({ label, intent }) => (
          <Tag key={label} minimal intent={intent}>
            {label}
          </Tag>
        ))}
      </span>
    ),
  },
  {
    name: 'Public page',
    width: 128,
    area: 'page',
    cell: report =>
      report.latest !== null && (
        <a href={pagePath(report)} target="_blank" rel="noopener" aria-label={`Open page of ${report.title}`}>
          Open page
        </a>
      ),
  },
]
