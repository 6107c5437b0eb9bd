import type { ImportedObjects } from '@iodine/contracts'
import { Button, DateTime, formatAmount, formatCount, HTMLTable } from '@iodine/ui'
import { ConfirmDialog, Dialog, DialogBody, DialogFooter } from '@iodine/ui/overlays'
import { useState } from 'react'
import { useRemoveImport } from '../queries/import'
import styles from './ImportedObjectsDialog.module.css'

export interface ImportedObjectsDialogProps {
  campaignId: string
  kept: ImportedObjects
  isOpen: boolean
  onClose: () => void
}

/** The imported objects of a campaign, by type and by import. */
export function ImportedObjectsDialog({ campaignId, kept, isOpen, onClose }: ImportedObjectsDialogProps) {
  const [removed, setRemoved] = useState<string | null>(null)
  const { run: remove } = useRemoveImport(campaignId)
  return (
    <>
      <Dialog isOpen={isOpen} onClose={onClose} title="Imported objects">
        <DialogBody>
          <p>
            Objects of imported STIX and MISP files. An export of this campaign in the same format contains
            each of them unchanged.
            {kept.withheld > 0 &&
              ` Exports leave ${formatCount(kept.withheld)} out, because their IOD was removed from the campaign.`}
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
                  {formatAmount(each.objects, 'object')} by {each.username ?? 'Unknown'},{' '}
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
        The objects of this import are removed from the campaign and its exports. The IODs created from them
        stay.
      </ConfirmDialog>
    </>
  )
}
