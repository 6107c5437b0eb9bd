import { Button, Callout, LoadingPanel } from '@iodine/ui'
import { useDecide, useReportPreview } from '../../queries/reports'
import { LeftOut } from './LeftOut'
import { ReportFrame } from './ReportFrame'
import styles from './reports.module.css'

export interface ReportPreviewProps {
  id: string
  /** Whether the editor has text that is not saved. */
  isDirty: boolean
  onSave: () => void
}

/** The page that a draft would become, what is left out, and the decisions on personal data. */
export function ReportPreview({ id, isDirty, onSave }: ReportPreviewProps) {
  const query = useReportPreview(id)
  const { run } = useDecide(id)
  return (
    <div className={styles.columns}>
      <div className={styles.main}>
        {isDirty && (
          <Callout intent="warning" compact>
            The preview shows the saved draft. <Button size="small" text="Save changes" onClick={onSave} />
          </Callout>
        )}
        <LoadingPanel query={query} errorTitle="Failed to make the preview">
          {({ html }) => <ReportFrame html={html} />}
        </LoadingPanel>
      </div>
      {query.data && (
        <div className={styles.side}>
          <LeftOut preview={query.data} onDecide={decision => void run(decision)} />
        </div>
      )}
    </div>
  )
}
