import type { ReportDetail } from '@iodine/contracts'
import { paths, SectionLink, useHost } from '@iodine/mfe-kit'
import { Button, Callout, LoadingPanel, Page, PageHeader, Tab, Tabs, Tag } from '@iodine/ui'
import { ConfirmButton, DialogButton } from '@iodine/ui/overlays'
import { useParams } from '@iodine/ui/router'
import { useState } from 'react'
import { pagePath, REVISION_TEXTS, tagsOf } from '../../model/reports'
import { useAuthorActions, useDeleteReport, useReport, useReviewerActions } from '../../queries/reports'
import { HandInButton } from './HandInButton'
import { ReasonForm } from './ReasonForm'
import { ReportEditor } from './ReportEditor'
import { ReportPreview } from './ReportPreview'
import { ReviewPanel } from './ReviewPanel'
import styles from './reports.module.css'
import { useReportDraft } from './use-report-draft'
import { VersionsPanel } from './VersionsPanel'

/** A report: its draft for the author, its review for administrators, its versions. */
export function ReportPage() {
  const { id = '' } = useParams()
  const query = useReport(id)
  return (
    <Page>
      {!query.data && <PageHeader title="Report" />}
      <LoadingPanel query={query} errorTitle="Failed to load the report">
        {report => <Report key={report.id} report={report} />}
      </LoadingPanel>
    </Page>
  )
}

function Report({ report }: { report: ReportDetail }) {
  const { is_admin: isAdmin } = useHost().session.user
  const { state, own, withdrawn_at, problem } = report
  const isEditable = own && state === 'draft' && !withdrawn_at
  return (
    <>
      <PageHeader
        title={report.title}
        subtitle={<Subtitle report={report} />}
        actions={<Actions report={report} isAdmin={isAdmin} />}
      />
      <div className={styles.stack}>
        <Notices report={report} isAdmin={isAdmin} />
        {problem && isEditable && (
          <Callout intent="warning" title="Returned to you: change it, then hand it in again" compact>
            <span className={styles.value} dir="auto">
              {problem}
            </span>
          </Callout>
        )}
        {state === 'making' && (
          <div role="status">
            <Callout compact title="The page and its files are being made">
              Then the report is in review. This page refreshes by itself.
            </Callout>
          </div>
        )}
        {isEditable ? (
          <Draft report={report} isAdmin={isAdmin} />
        ) : (
          <>
            {state === 'review' && <ReviewPanel report={report} isReviewer={isAdmin && !own} />}
            <VersionsPanel report={report} isAdmin={isAdmin} />
          </>
        )}
      </div>
    </>
  )
}

const Subtitle = ({ report }: { report: ReportDetail }) => (
  <span className={styles.subtitle}>
    Public report
    {tagsOf(report).map(({ label, intent }) => (
      <Tag key={label} minimal intent={intent}>
        {label}
      </Tag>
    ))}
    {report.campaign_id && <SectionLink to={paths.campaign(report.campaign_id)}>Campaign</SectionLink>}
    {report.latest !== null && (
      <a href={pagePath(report)} target="_blank" rel="noopener">
        Public page
      </a>
    )}
  </span>
)

/** Why the public page is hidden or gone. */
function Notices({ report, isAdmin }: { report: ReportDetail; isAdmin: boolean }) {
  const { stand } = useReviewerActions(report.id)
  const { revision, withdrawn_at, withdrawn_reason } = report
  if (withdrawn_at)
    return (
      <Callout intent="danger" title="This report is withdrawn" compact>
        <span className={styles.value} dir="auto">
          {withdrawn_reason}
        </span>
      </Callout>
    )
  if (!revision) return null
  return (
    <Callout intent="warning" title="The public page is hidden" compact>
      It is under revision, because {REVISION_TEXTS[revision]}. It returns with a new version, or once an
      administrator lets it stand.{' '}
      {isAdmin && (
        <Button size="small" text="Let it stand" loading={stand.isPending} onClick={() => void stand.run()} />
      )}
    </Callout>
  )
}

/** Withdraws a published report, or deletes one that was never published. */
function Actions({ report, isAdmin }: { report: ReportDetail; isAdmin: boolean }) {
  const { id, campaign_id, own, latest, withdrawn_at } = report
  const { withdraw } = useAuthorActions(id)
  const remove = useDeleteReport(id, campaign_id)
  if (latest !== null && !withdrawn_at && (own || isAdmin))
    return (
      <DialogButton
        button={{ text: 'Withdraw', intent: 'danger', variant: 'outlined' }}
        title="Withdraw the report"
      >
        {close => (
          <ReasonForm
            label="Reason"
            help="The withdrawn page shows it."
            submitLabel="Withdraw"
            onSubmit={withdraw.run}
            onClose={close}
          >
            <p>
              All versions stop being readable at once and for good. Copies in archives remain. To fix an
              error, hand a correction in instead.
            </p>
          </ReasonForm>
        )}
      </DialogButton>
    )
  if (latest !== null || !own) return null
  return (
    <ConfirmButton
      button={{ text: 'Delete report', intent: 'danger', variant: 'minimal' }}
      title="Delete the report"
      confirmLabel="Delete"
      onConfirm={remove.run}
    >
      <p>Its draft, its decisions and a version in review are deleted. This cannot be undone.</p>
    </ConfirmButton>
  )
}

/** The draft with its preview. */
function Draft({ report, isAdmin }: { report: ReportDetail; isAdmin: boolean }) {
  const [tab, setTab] = useState('text')
  const { draft, isDirty, isSaving, problems, change, discard, save } = useReportDraft(report)
  const saveOrShow = async (): Promise<boolean> => {
    const isSaved = await save()
    if (!isSaved) setTab('text')
    return isSaved
  }
  return (
    <>
      <Tabs
        id="report"
        selectedTabId={tab}
        onChange={id => setTab(String(id))}
        renderActiveTabPanelOnly
        animate={false}
      >
        <Tab
          id="text"
          title="Text"
          panel={
            <ReportEditor
              id={report.id}
              draft={draft}
              isCorrection={report.latest !== null}
              problems={problems}
              onChange={change}
            />
          }
        />
        <Tab
          id="preview"
          title="Preview"
          panel={<ReportPreview id={report.id} isDirty={isDirty} onSave={() => void saveOrShow()} />}
        />
        <Tab id="versions" title="Versions" panel={<VersionsPanel report={report} isAdmin={isAdmin} />} />
      </Tabs>
      <div className={styles.footer}>
        <span className={styles.note} role="status">
          {isDirty ? 'Unsaved changes, kept in this tab' : 'Saved'}
        </span>
        {isDirty && (
          <Button variant="minimal" text="Discard" aria-label="Discard changes" onClick={discard} />
        )}
        <Button text="Save draft" disabled={!isDirty} loading={isSaving} onClick={() => void saveOrShow()} />
        <HandInButton report={report} draft={draft} onSave={saveOrShow} />
      </div>
    </>
  )
}
