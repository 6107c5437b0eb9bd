import type { ReportDetail } from '@iodine/contracts'
import { paths, SectionLink } from '@iodine/mfe-kit'
import { Callout, Card, Checkbox, formatDateTime, formatRelative, LoadingPanel, Tab, Tabs } from '@iodine/ui'
import { DialogButton, DialogForm } from '@iodine/ui/overlays'
import { useState } from 'react'
import { useReviewerActions, useReviewPage } from '../../queries/reports'
import { Changes } from './Changes'
import { LeftOut } from './LeftOut'
import { ReasonForm } from './ReasonForm'
import { ReportFrame } from './ReportFrame'
import styles from './reports.module.css'

/** A version in review: its page, what is left out, what changed, and the decision of an administrator. */
export function ReviewPanel({ report, isReviewer }: { report: ReportDetail; isReviewer: boolean }) {
  const query = useReviewPage(report.id)
  return (
    <LoadingPanel query={query} errorTitle="Failed to load the version in review">
      {review => (
        <div className={styles.columns}>
          <div className={styles.main}>
            {review.previous === null ? (
              <ReportFrame html={review.html} />
            ) : (
              <Tabs id="review" renderActiveTabPanelOnly animate={false}>
                <Tab id="page" title="Page" panel={<ReportFrame html={review.html} />} />
                <Tab
                  id="changes"
                  title={`Changes since version ${report.latest}`}
                  panel={<Changes before={review.previous} after={review.text} />}
                />
              </Tabs>
            )}
          </div>
          <div className={styles.side}>
            {isReviewer ? (
              <Decision report={report} sha256={review.sha256} approvableAt={review.approvable_at} />
            ) : (
              <Card className={styles.card} role="region" aria-label="Review">
                <h2 className={styles.heading}>Review</h2>
                <p className={styles.note}>
                  Version {review.n} waits for an administrator other than you.{' '}
                  {waitText(review.approvable_at)}
                </p>
              </Card>
            )}
            <LeftOut preview={review} />
          </div>
        </div>
      )}
    </LoadingPanel>
  )
}

/** Returns when a version can be approved. */
const waitText = (approvableAt: string): string =>
  new Date(approvableAt).getTime() <= Date.now()
    ? 'It can be approved now.'
    : `It can be approved from ${formatDateTime(approvableAt)} (${formatRelative(approvableAt)}): until then, the members it quotes can take their content out.`

interface DecisionProps {
  report: ReportDetail
  sha256: string
  approvableAt: string
}

/** The buttons that publish the version or return it to its author. */
function Decision({ report, sha256, approvableAt }: DecisionProps) {
  const { approve, refuse } = useReviewerActions(report.id)
  return (
    <Card className={styles.card} role="region" aria-label="Decision">
      <h2 className={styles.heading}>Decision</h2>
      <p className={styles.note}>{waitText(approvableAt)}</p>
      <div className={styles.buttons}>
        <DialogButton
          button={{
            intent: 'primary',
            text: 'Approve and publish',
            disabled: new Date(approvableAt).getTime() > Date.now(),
          }}
          title="Publish this version"
        >
          {close => (
            <ApprovalForm
              isOurs={report.draft.attribution?.by === 'ours'}
              onApprove={attribution => approve.run({ sha256, attribution })}
              onClose={close}
            />
          )}
        </DialogButton>
        <DialogButton button={{ text: 'Refuse' }} title="Return the report to its author">
          {close => (
            <ReasonForm
              label="Why"
              help="The author reads this and can hand the report in again."
              submitLabel="Refuse"
              onSubmit={refuse.run}
              onClose={close}
            />
          )}
        </DialogButton>
      </div>
      <p className={styles.note}>
        Publishing requires a session that you opened with a passkey. Add one in{' '}
        <SectionLink to={paths.profile({ tab: 'security' })}>your profile</SectionLink>, then sign in with it.
      </p>
      <p className={styles.note}>
        SHA-256 of the manifest: <code className={styles.hash}>{sha256}</code>
      </p>
    </Card>
  )
}

interface ApprovalFormProps {
  /** Whether the authors attribute the campaign themselves. */
  isOurs: boolean
  onApprove: (attribution: boolean) => Promise<boolean>
  onClose: () => void
}

function ApprovalForm({ isOurs, onApprove, onClose }: ApprovalFormProps) {
  const [isAccepted, setAccepted] = useState(false)
  return (
    <DialogForm
      submitLabel="Publish"
      canSubmit={!isOurs || isAccepted}
      onSubmit={() => onApprove(isAccepted)}
      onClose={onClose}
    >
      <div className={styles.texts}>
        <p>Everybody can read this version, at once and without signing in.</p>
        <Callout intent="warning" compact>
          Archives and search engines copy public pages. A withdrawal does not reach their copies.
        </Callout>
        {isOurs && (
          <Checkbox
            checked={isAccepted}
            onChange={event => setAccepted(event.currentTarget.checked)}
            label="I accept the authors’ own attribution and its grounds"
          />
        )}
      </div>
    </DialogForm>
  )
}
