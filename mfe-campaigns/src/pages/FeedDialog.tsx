import { Button, CopyField } from '@iodine/ui'
import { Dialog, DialogBody, DialogFooter } from '@iodine/ui/overlays'

export interface FeedDialogProps {
  /** Id of the campaign's collection in TAXII. */
  collection: string
  isOpen: boolean
  onClose: () => void
}

/** The addresses of a campaign's feed. */
export function FeedDialog({ collection, isOpen, onClose }: FeedDialogProps) {
  const { origin } = window.location
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title="Addresses of the feed">
      <DialogBody>
        <p>Whoever pulls it needs a feed key, which every member can make in My Profile.</p>
        <CopyField label="TAXII 2.1 API root" value={`${origin}/taxii2/iodine/`} />
        <CopyField label="TAXII collection" value={collection} hint="This campaign. “all” has all of them." />
        <CopyField
          label="MISP feed"
          value={`${origin}/feeds/misp/`}
          hint="All campaigns that the key may read."
        />
      </DialogBody>
      <DialogFooter actions={<Button text="Done" onClick={onClose} />} />
    </Dialog>
  )
}
