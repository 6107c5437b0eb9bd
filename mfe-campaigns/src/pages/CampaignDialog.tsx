import type { Campaign } from '@iodine/contracts'
import { Button, FormGroup, InputGroup, TextArea } from '@iodine/ui'
import { Dialog, DialogBody, DialogFooter } from '@iodine/ui/overlays'
import { type FormEvent, useEffect, useId, useState } from 'react'
import { useSaveCampaign } from '../queries/edit'

export interface CampaignDialogProps {
  /** What it edits; 'new' to create one, null while it is closed. */
  draft: Campaign | 'new' | null
  onClose: () => void
}

/** The form that creates or edits a campaign. */
export function CampaignDialog({ draft, onClose }: CampaignDialogProps) {
  // While the dialog fades out it still shows what it was about.
  const [subject, setSubject] = useState<Campaign | null>(null)
  const [name, setName] = useState('')
  const [description, setDescription] = useState('')
  const [working, setWorking] = useState(false)
  const save = useSaveCampaign(subject)
  const formId = useId()

  useEffect(() => {
    if (!draft) return
    const campaign = draft === 'new' ? null : draft
    setSubject(campaign)
    setName(campaign?.name ?? '')
    setDescription(campaign?.description ?? '')
  }, [draft])

  const submit = async (event: FormEvent) => {
    event.preventDefault()
    setWorking(true)
    try {
      if (await save({ name, description })) onClose()
    } finally {
      setWorking(false)
    }
  }
  return (
    <Dialog
      isOpen={draft !== null}
      onClose={onClose}
      title={subject ? 'Edit Campaign' : 'Create New Campaign'}
      canOutsideClickClose={false}
    >
      <DialogBody>
        <form id={formId} onSubmit={submit} noValidate>
          <FormGroup label="Campaign Name" labelFor={`${formId}-name`} labelInfo="(required)">
            <InputGroup id={`${formId}-name`} autoFocus value={name} onValueChange={setName} dir="auto" />
          </FormGroup>
          <FormGroup label="Description" labelFor={`${formId}-description`}>
            <TextArea
              id={`${formId}-description`}
              fill
              rows={4}
              dir="auto"
              value={description}
              onChange={event => setDescription(event.target.value)}
            />
          </FormGroup>
        </form>
      </DialogBody>
      <DialogFooter
        actions={
          <>
            <Button text="Cancel" onClick={onClose} />
            <Button
              type="submit"
              form={formId}
              intent="primary"
              text={subject ? 'Save Changes' : 'Create Campaign'}
              loading={working}
            />
          </>
        }
      />
    </Dialog>
  )
}
