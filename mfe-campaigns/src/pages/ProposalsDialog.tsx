import { hasStatus, isUnauthorized } from '@iodine/mfe-kit'
import { Button, Callout, Loading } from '@iodine/ui'
import { Dialog, DialogBody, DialogFooter } from '@iodine/ui/overlays'
import { TEXTS } from '../model/proposal-texts'
import { errorText } from '../model/proposals'
import { useProposals } from '../queries/proposals'
import { ProposalForm } from './ProposalForm'
import { ProposalRun } from './ProposalRun'
import styles from './ProposalsDialog.module.css'

export interface ProposalsDialogProps {
  campaignId: string
  isOpen: boolean
  onClose: () => void
}

/** Proposes techniques for a text, each with its sentence, for the user to accept or reject. */
export function ProposalsDialog({ campaignId, isOpen, onClose }: ProposalsDialogProps) {
  const { run, query, keepRun } = useProposals(campaignId)
  const isExpired = hasStatus(query.error, 404)
  const content = () => {
    if (!run || isExpired)
      return (
        <ProposalForm
          campaignId={campaignId}
          problem={isExpired ? TEXTS.errors.expired : ''}
          onStarted={keepRun}
        />
      )
    if (query.data) return <ProposalRun campaignId={campaignId} proposals={query.data} kind={run.kind} />
    if (query.error && !isUnauthorized(query.error))
      return <Callout intent="danger">{errorText(query.error)}</Callout>
    return <Loading label={TEXTS.waiting.offline} />
  }
  return (
    <Dialog className={styles.dialog} isOpen={isOpen} onClose={onClose} title={TEXTS.title}>
      <DialogBody className={styles.body}>{content()}</DialogBody>
      <DialogFooter
        actions={
          <>
            {run && !isExpired && query.data?.state !== 'waiting' && (
              <Button text={TEXTS.again} onClick={() => keepRun(null)} />
            )}
            <Button text={TEXTS.close} onClick={onClose} />
          </>
        }
      />
    </Dialog>
  )
}
