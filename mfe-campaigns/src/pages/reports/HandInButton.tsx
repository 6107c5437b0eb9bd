import type { ReportDetail, ReportDraft } from '@iodine/contracts'
import { Button, Callout, useDialog } from '@iodine/ui'
import { ConfirmDialog } from '@iodine/ui/overlays'
import { missingOf } from '../../model/reports'
import { useAuthorActions } from '../../queries/reports'
import styles from './reports.module.css'

export interface HandInButtonProps {
  report: ReportDetail
  draft: ReportDraft
  /** Saves the draft; resolves to whether it is stored. */
  onSave: () => Promise<boolean>
}

/** Saves the draft and hands it in for review, after a confirmation that states what publishing means. */
export function HandInButton({ report, draft, onSave }: HandInButtonProps) {
  const dialog = useDialog()
  const { handIn } = useAuthorActions(report.id)
  const missing = missingOf(draft, report.latest !== null)
  return (
    <>
      <Button
        intent="primary"
        text="Hand in for review"
        onClick={async () => {
          if (await onSave()) dialog.open()
        }}
      />
      <ConfirmDialog
        isOpen={dialog.isOpen && missing.length === 0}
        title="Hand in for review"
        confirmLabel="Hand in"
        intent="primary"
        onConfirm={handIn.run}
        onClose={dialog.close}
      >
        <div className={styles.texts}>
          <p>
            The page and its files are made from the campaign as it is now. Another administrator reads them
            and approves or refuses them. Until then, you cannot change the draft.
          </p>
          <p>
            Members whose evidence or IODs it quotes have 72 hours to take them out. This page then shows from
            when the report can be approved.
          </p>
          <Callout intent="warning" compact>
            Archives copy what is public. You can withdraw the report at any time, but not their copies.
          </Callout>
        </div>
      </ConfirmDialog>
      <ConfirmDialog
        isOpen={dialog.isOpen && missing.length > 0}
        title="The report is not complete"
        confirmLabel="Continue writing"
        intent="primary"
        onConfirm={async () => {}}
        onClose={dialog.close}
      >
        <p>Before it can be handed in, it needs:</p>
        <ul className={styles.list}>
          {missing.map(each => (
            <li key={each}>{each}</li>
          ))}
        </ul>
      </ConfirmDialog>
    </>
  )
}
