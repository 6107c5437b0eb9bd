import { Button, CopyField } from '@iodine/ui'
import { Dialog, DialogBody, DialogFooter } from '@iodine/ui/overlays'

export interface FeedDialogProps {
  /** Id of the campaign's TAXII collection. */
  collection: string
  isOpen: boolean
  onClose: () => void
}

/** The URLs of a campaign's feed. */
export function FeedDialog({ collection, isOpen, onClose }: FeedDialogProps) {
  const { origin } = window.location
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title="Feed URLs">
      <DialogBody>
        <p>A system needs a feed key to pull the campaign. Every member can create one in My Profile.</p>
        <CopyField label="TAXII 2.1 API root" value={`${origin}/taxii2/iodine/`} />
        <CopyField
          label="TAXII collection"
          value={collection}
          hint="This campaign. The collection “all” contains all published campaigns."
        />
        <CopyField
          label="MISP feed"
          value={`${origin}/feeds/misp/`}
          hint="All campaigns that the key can read."
        />
      </DialogBody>
      <DialogFooter actions={<Button text="Done" onClick={onClose} />} />
    </Dialog>
  )
}
