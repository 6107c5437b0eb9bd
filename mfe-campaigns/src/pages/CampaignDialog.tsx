import type { Campaign } from '@iodine/contracts'
import { useHost } from '@iodine/mfe-kit'
import { FormGroup, InputGroup, TextArea, useDraft, useMissingField, useRetained } from '@iodine/ui'
import { Dialog, DialogForm } from '@iodine/ui/overlays'
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
  const { user } = useHost().session
  const initial = { name: campaign?.name ?? '', description: campaign?.description ?? '' }
  const [draft, setDraft] = useDraft(`${user.id}:campaign:${campaign?.id ?? 'new'}`, initial)
  const { name, description } = draft
  const save = useSaveCampaign(campaign)
  const { groupProps, fieldProps, setMissing } = useMissingField<keyof typeof initial>()
  return (
    <DialogForm
      submitLabel={campaign ? 'Save Changes' : 'Create Campaign'}
      onSubmit={() => {
        setMissing(name.trim() === '' ? 'name' : undefined)
        return save({ name, description })
      }}
      onClose={onClose}
      onDiscard={() => setDraft(initial)}
    >
      <FormGroup label="Campaign Name" {...groupProps('name')} labelInfo="(required)">
        <InputGroup
          {...fieldProps('name')}
          autoFocus
          value={name}
          onValueChange={name => {
            setMissing()
            setDraft({ ...draft, name })
          }}
          dir="auto"
        />
      </FormGroup>
      <FormGroup label="Description" {...groupProps('description')}>
        <TextArea
          {...fieldProps('description')}
          fill
          rows={4}
          dir="auto"
          value={description}
          onChange={event => setDraft({ ...draft, description: event.target.value })}
        />
      </FormGroup>
    </DialogForm>
  )
}
