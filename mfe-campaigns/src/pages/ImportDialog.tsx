import type { CampaignDetail, CampaignImport } from '@iodine/contracts'
import { errorDetail, isApiError, useHost } from '@iodine/mfe-kit'
import { Callout, FileButton } from '@iodine/ui'
import { DocumentIcon } from '@iodine/ui/icons'
import { Dialog, DialogActions, DialogBody } from '@iodine/ui/overlays'
import { useEffect, useRef, useState } from 'react'
import { contentOf, hasChanges, relatedTexts } from '../model/imports'
import { useImport } from '../queries/import'
import { successToast } from '../queries/toasts'
import styles from './ImportDialog.module.css'
import { ImportPlan } from './ImportPlan'

export interface ImportDialogProps {
  campaign: CampaignDetail
  isOpen: boolean
  onClose: () => void
}

/** Plans the import of a file, and applies the plan. */
function useFileImport(campaignId: string, onClose: () => void) {
  /** The import of the chosen file: planned, then applied by the server. */
  const [plan, setPlan] = useState<CampaignImport | null>(null)
  const [fault, setFault] = useState<string | null>(null)
  const [isReading, setReading] = useState(false)
  const server = useImport(campaignId)
  const [makesIods, setMakesIods] = useState(true)
  const { notify } = useHost()
  const [file, setFile] = useState<File | null>(null)
  /** The file whose request is current; null once the dialog is closed. */
  const currentFile = useRef<File | null>(null)

  useEffect(
    () => () => {
      currentFile.current = null
    },
    [],
  )

  /** Discards a plan that was not applied. */
  const discard = () => {
    if (plan?.state === 'planned') server.discard(plan)
    setPlan(null)
  }
  const close = () => {
    currentFile.current = null
    discard()
    onClose()
  }
  const apply = async (plan: CampaignImport) => {
    setFault(null)
    try {
      const ended = await server.apply(plan, makesIods, setPlan, () => currentFile.current === file)
      if (!ended) return
      setPlan(ended)
      if (ended.state !== 'done') return
      notify(successToast(`${contentOf(ended)} imported`))
      for (const text of relatedTexts(ended)) notify(successToast(text))
      onClose()
    } catch (error) {
      setFault(errorDetail(isApiError(error) ? error : null, 'The file could not be imported.'))
    }
  }
  const read = async (file: File) => {
    const isCurrent = () => currentFile.current === file
    currentFile.current = file
    discard()
    setFile(file)
    setFault(null)
    setReading(true)
    try {
      setPlan(await server.plan(file, isCurrent))
    } catch (error) {
      setFault(errorDetail(isApiError(error) ? error : null, 'The file could not be read.'))
    } finally {
      setReading(false)
    }
  }
  return { file, plan, fault, isReading, makesIods, setMakesIods, read, apply, close }
}

/** The dialog that imports the IODs of a file, after a preview of the changes. */
export function ImportDialog({ campaign, isOpen, onClose }: ImportDialogProps) {
  const { file, plan, fault, isReading, makesIods, setMakesIods, read, apply, close } = useFileImport(
    campaign.id,
    onClose,
  )
  const isApplying = plan?.state === 'applying'
  return (
    <Dialog
      className={styles.dialog}
      isOpen={isOpen}
      onClose={close}
      title="Import IODs"
      canOutsideClickClose={false}
    >
      <DialogBody>
        <p className={styles.label}>
          Accepts a campaign exported as JSON, STIX or CSV, a CSV with the columns value, category and
          description, or a STIX bundle or MISP events from another tool.
        </p>
        <div className={styles.file}>
          <FileButton
            icon={<DocumentIcon />}
            text="Choose file"
            accept=".json,.csv,.txt,application/json,text/csv"
            disabled={isApplying}
            loading={isReading}
            onFiles={([chosen]) => void read(chosen)}
          />
          <span className={styles.value}>{file?.name}</span>
        </div>
        {fault && (
          <Callout className={styles.block} role="alert" intent="danger" compact>
            {fault}
          </Callout>
        )}
        {plan && <ImportPlan plan={plan} makesIods={makesIods} onMakesIods={setMakesIods} />}
      </DialogBody>
      <DialogActions
        text={plan?.state === 'failed' ? 'Continue' : `Import ${plan ? contentOf(plan) : '0 IODs'}`}
        disabled={!plan || (plan.state !== 'failed' && !hasChanges(plan))}
        loading={isApplying || isReading}
        onClick={() => plan && void apply(plan)}
        // The server continues an import without the dialog.
        cancel={{ text: isApplying ? 'Close' : 'Cancel', onClick: close }}
      />
    </Dialog>
  )
}
