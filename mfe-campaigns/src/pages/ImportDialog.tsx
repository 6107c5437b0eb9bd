import type { CampaignDetail, CampaignImport } from '@iodine/contracts'
import { errorDetail, isApiError, useHost } from '@iodine/mfe-kit'
import { Button, Callout } from '@iodine/ui'
import { DocumentIcon } from '@iodine/ui/icons'
import { Dialog, DialogBody, DialogFooter } from '@iodine/ui/overlays'
import { useEffect, useRef, useState } from 'react'
import { amountOf, bringsAnything, evidenceText } from '../model/imports'
import { useImport } from '../queries/import'
import { successToast } from '../queries/toasts'
import styles from './ImportDialog.module.css'
import { ImportPlan } from './ImportPlan'

export interface ImportDialogProps {
  campaign: CampaignDetail
  isOpen: boolean
  onClose: () => void
}

/** Imports the IODs of a file, after a preview of the changes. */
export function ImportDialog({ campaign, isOpen, onClose }: ImportDialogProps) {
  /** The import of the chosen file, which the server plans and applies. */
  const [plan, setPlan] = useState<CampaignImport | null>(null)
  const [fault, setFault] = useState<string | null>(null)
  const [isReading, setReading] = useState(false)
  const server = useImport(campaign.id)
  const [makesIods, setMakesIods] = useState(true)
  const { notify } = useHost()
  const [file, setFile] = useState<File | null>(null)
  const input = useRef<HTMLInputElement>(null)
  /** The file that somebody waits for: none once the dialog is closed. */
  const wanted = useRef<File | null>(null)

  useEffect(
    () => () => {
      wanted.current = null
    },
    [],
  )

  /** Takes back a plan that is not applied. */
  const discard = () => {
    if (plan?.state === 'planned') server.discard(plan)
    setPlan(null)
  }
  const close = () => {
    wanted.current = null
    discard()
    onClose()
  }
  const apply = async (plan: CampaignImport) => {
    setFault(null)
    try {
      const ended = await server.apply(plan, makesIods, setPlan, () => wanted.current === file)
      if (!ended) return
      setPlan(ended)
      if (ended.state !== 'done') return
      notify(successToast(`${amountOf(ended)} imported`))
      const evidence = evidenceText(ended)
      if (evidence) notify(successToast(evidence))
      onClose()
    } catch (error) {
      setFault(errorDetail(isApiError(error) ? error : null, 'The file could not be imported.'))
    }
  }
  const read = async (file: File) => {
    const isWanted = () => wanted.current === file
    wanted.current = file
    discard()
    setFile(file)
    setFault(null)
    setReading(true)
    try {
      setPlan(await server.plan(file, isWanted))
    } catch (error) {
      setFault(errorDetail(isApiError(error) ? error : null, 'The file could not be read.'))
    } finally {
      setReading(false)
    }
  }
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
          A campaign exported as JSON, STIX or CSV, a CSV with value, category and description, or a STIX
          bundle or MISP events of another tool.
        </p>
        <input
          ref={input}
          hidden
          type="file"
          accept=".json,.csv,.txt,application/json,text/csv"
          onChange={event => {
            const chosen = event.target.files?.[0]
            if (chosen) void read(chosen)
            // Without this, selecting the same file again fires no event.
            event.target.value = ''
          }}
        />
        <div className={styles.file}>
          <Button
            icon={<DocumentIcon />}
            text="Choose file"
            disabled={isApplying}
            loading={isReading}
            onClick={() => input.current?.click()}
          />
          <span className={styles.value}>{file?.name}</span>
        </div>
        {fault && (
          <div className={styles.block} role="alert">
            <Callout intent="danger" compact>
              {fault}
            </Callout>
          </div>
        )}
        {plan && <ImportPlan plan={plan} makesIods={makesIods} onMakesIods={setMakesIods} />}
      </DialogBody>
      <DialogFooter
        actions={
          <>
            {/* What the server applies goes on without the dialog. */}
            <Button text={isApplying ? 'Close' : 'Cancel'} onClick={close} />
            <Button
              intent="primary"
              text={plan?.state === 'failed' ? 'Go on' : `Import ${plan ? amountOf(plan) : '0 IOD(s)'}`}
              disabled={!plan || (plan.state !== 'failed' && !bringsAnything(plan))}
              loading={isApplying || isReading}
              onClick={() => plan && void apply(plan)}
            />
          </>
        }
      />
    </Dialog>
  )
}
