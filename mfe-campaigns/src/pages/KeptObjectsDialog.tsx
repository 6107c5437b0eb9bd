import type { KeptObjects } from '@iodine/contracts'
import { Button, DateTime, formatCount, HTMLTable } from '@iodine/ui'
import { ConfirmDialog, Dialog, DialogBody, DialogFooter } from '@iodine/ui/overlays'
import { useState } from 'react'
import { useRemoveImport } from '../queries/import'
import styles from './KeptObjectsDialog.module.css'

export interface KeptObjectsDialogProps {
  campaignId: string
  kept: KeptObjects
  isOpen: boolean
  onClose: () => void
}

/** What a campaign keeps of other tools' files: by type, and by import. */
export function KeptObjectsDialog({ campaignId, kept, isOpen, onClose }: KeptObjectsDialogProps) {
  const [removed, setRemoved] = useState<string | null>(null)
  const { run: remove } = useRemoveImport(campaignId)
  return (
    <>
      <Dialog isOpen={isOpen} onClose={onClose} title="Kept objects">
        <DialogBody>
          <p>
            Objects of other tools, as they were imported. An export of this campaign in their format, STIX or
            MISP, has each of them byte for byte.
            {kept.withheld > 0 &&
              ` ${formatCount(kept.withheld)} are left out of it, because their IOD was taken out of the campaign.`}
          </p>
          <HTMLTable compact className={styles.table}>
            <thead>
              <tr>
                <th scope="col">Type</th>
                <th scope="col">Objects</th>
              </tr>
            </thead>
            <tbody>
              {kept.types.map(({ type, objects }) => (
                <tr key={type}>
                  <td className={styles.name} dir="auto">
                    {type || 'without a type'}
                  </td>
                  <td>{formatCount(objects)}</td>
                </tr>
              ))}
            </tbody>
          </HTMLTable>
          <h3 className={styles.title}>Imports</h3>
          <ul className={styles.imports}>
            {kept.imports.map(each => (
              <li key={each.id}>
                <span className={styles.name}>
                  {formatCount(each.objects)} object(s) by {each.username ?? 'Unknown'},{' '}
                  <DateTime value={each.created_at} />
                </span>
                {each.removable && (
                  <Button
                    size="small"
                    intent="danger"
                    variant="minimal"
                    text="Remove"
                    onClick={() => setRemoved(each.id)}
                  />
                )}
              </li>
            ))}
          </ul>
        </DialogBody>
        <DialogFooter actions={<Button text="Close" onClick={onClose} />} />
      </Dialog>
      <ConfirmDialog
        isOpen={removed !== null}
        title="Remove imported objects"
        confirmLabel="Remove"
        onConfirm={async () => removed && remove(removed)}
        onClose={() => setRemoved(null)}
      >
        The objects of this import are removed from the campaign and its exports. The IODs that were made of
        them stay.
      </ConfirmDialog>
    </>
  )
}
