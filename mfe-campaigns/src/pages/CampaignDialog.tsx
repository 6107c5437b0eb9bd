import type { Campaign } from '@iodine/contracts'
import { FormGroup, InputGroup, TextArea, useRetained } from '@iodine/ui'
import { Dialog, DialogForm } from '@iodine/ui/overlays'
import { useId, useState } from 'react'
import { useSaveCampaign } from '../queries/edit'

export interface CampaignDialogProps {
  /** The campaign to edit; 'new' to create one, null while the dialog is closed. */
  draft: Campaign | 'new' | null
  onClose: () => void
}

/** The form that creates or edits a campaign. */
export function CampaignDialog({ draft, onClose }: CampaignDialogProps) {
  const shown = useRetained(draft)
  const campaign = shown === 'new' ? null : shown
  return (
    <Dialog
      isOpen={draft !== null}
      onClose={onClose}
      title={campaign ? 'Edit Campaign' : 'Create New Campaign'}
      canOutsideClickClose={false}
    >
      <CampaignForm campaign={campaign} onClose={onClose} />
    </Dialog>
  )
}

function CampaignForm({ campaign, onClose }: { campaign: Campaign | null; onClose: () => void }) {
  const [name, setName] = useState(campaign?.name ?? '')
  const [description, setDescription] = useState(campaign?.description ?? '')
  const save = useSaveCampaign(campaign)
  const id = useId()
  return (
    <DialogForm
      submitLabel={campaign ? 'Save Changes' : 'Create Campaign'}
      onSubmit={() => save({ name, description })}
      onClose={onClose}
    >
      <FormGroup label="Campaign Name" labelFor={`${id}-name`} labelInfo="(required)">
        <InputGroup id={`${id}-name`} autoFocus value={name} onValueChange={setName} dir="auto" />
      </FormGroup>
      <FormGroup label="Description" labelFor={`${id}-description`}>
        <TextArea
          id={`${id}-description`}
          fill
          rows={4}
          dir="auto"
          value={description}
          onChange={event => setDescription(event.target.value)}
        />
      </FormGroup>
    </DialogForm>
  )
}
