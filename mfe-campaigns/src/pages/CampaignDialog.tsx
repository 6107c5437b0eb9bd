import type { Campaign } from '@iodine/contracts'
import { CampaignFields, useHost } from '@iodine/mfe-kit'
import { useDraft, useMissingField, useRetained } from '@iodine/ui'
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
  const save = useSaveCampaign(campaign)
  const missing = useMissingField<keyof typeof initial>()
  return (
    <DialogForm
      submitLabel={campaign ? 'Save Changes' : 'Create Campaign'}
      onSubmit={() => {
        missing.setMissing(draft.name.trim() === '' ? 'name' : undefined)
        return save(draft)
      }}
      onClose={onClose}
      onDiscard={() => setDraft(initial)}
    >
      <CampaignFields draft={draft} missing={missing} onChange={setDraft} />
    </DialogForm>
  )
}
