import { hasStatus, isUnauthorized } from '@iodine/mfe-kit'
import { Button, Callout, Loading } from '@iodine/ui'
import { Dialog, DialogBody, DialogFooter } from '@iodine/ui/overlays'
import { languageOf, PROPOSAL_TEXTS } from '../model/proposal-texts'
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

/**
 * Proposes techniques for a text, each with its sentence, for the user to accept or reject. It speaks the language of
 * the browser: English or French.
 */
export function ProposalsDialog({ campaignId, isOpen, onClose }: ProposalsDialogProps) {
  const language = languageOf(navigator.language)
  const texts = PROPOSAL_TEXTS[language]
  const { run, query, keepRun } = useProposals(campaignId)
  const isExpired = hasStatus(query.error, 404)
  const content = () => {
    if (!run || isExpired)
      return (
        <ProposalForm
          campaignId={campaignId}
          texts={texts}
          problem={isExpired ? texts.errors.expired : ''}
          onStarted={keepRun}
        />
      )
    if (query.data)
      return <ProposalRun campaignId={campaignId} texts={texts} proposals={query.data} kind={run.kind} />
    if (query.error && !isUnauthorized(query.error))
      return <Callout intent="danger">{errorText(texts, query.error)}</Callout>
    return <Loading label={texts.waiting.offline} />
  }
  return (
    <Dialog
      className={styles.dialog}
      isOpen={isOpen}
      onClose={onClose}
      title={<span lang={language}>{texts.title}</span>}
    >
      <DialogBody className={styles.body}>
        <div lang={language}>{content()}</div>
      </DialogBody>
      <DialogFooter
        actions={
          <>
            {run && !isExpired && query.data?.state !== 'waiting' && (
              <Button text={texts.again} onClick={() => keepRun(null)} />
            )}
            <Button text={texts.close} onClick={onClose} />
          </>
        }
      />
    </Dialog>
  )
}
