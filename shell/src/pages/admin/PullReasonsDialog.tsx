import type { Subscription } from '@iodine/contracts'
import { formatAmount, formatCount, HTMLTable, useRetained } from '@iodine/ui'
import { Dialog, DialogBody } from '@iodine/ui/overlays'
import cells from './cells.module.css'
import styles from './Subscriptions.module.css'

export interface PullReasonsDialogProps {
  /** Null while the dialog is closed. */
  subscription: Subscription | null
  onClose: () => void
}

/** Lists the skipped and rejected entries of a feed's last run, with the reasons. */
export function PullReasonsDialog({ subscription, onClose }: PullReasonsDialogProps) {
  // While the dialog closes, it shows the last subscription.
  const shown = useRetained(subscription)
  // Optional, because a service of the previous version omits them.
  const { skipped = 0, refused = 0, invalid = [], unknown_techniques: unknown = [] } = shown?.last ?? {}
  const more = skipped + refused - invalid.length
  return (
    <Dialog isOpen={subscription !== null} onClose={onClose} title="Last run">
      <DialogBody>
        {skipped > 0 && (
          <p className={cells.text}>
            Skipped {formatAmount(skipped, 'unreadable part')} of the feed. Later runs read a part again once
            it has changed.
          </p>
        )}
        {refused > 0 && (
          <p className={cells.text}>
            Imported {formatAmount(refused, 'object')} without an IOD, because the value cannot be an IOD.
          </p>
        )}
        {unknown.length > 0 && (
          <p className={cells.text}>
            Did not add {formatAmount(unknown.length, 'technique')} to the campaign, because DISARM does not
            contain them: {unknown.join(', ')}
          </p>
        )}
        {invalid.length > 0 && (
          <div className={styles.reasons}>
            <HTMLTable compact aria-label="Reasons">
              <thead>
                <tr>
                  <th scope="col">Position</th>
                  <th scope="col">Value</th>
                  <th scope="col">Reason</th>
                </tr>
              </thead>
              <tbody>
                {invalid.map(({ place, value, reason }) => (
                  <tr key={`${place} ${value} ${reason}`}>
                    <td>{place}</td>
                    <td dir="auto">{value}</td>
                    <td>{reason}</td>
                  </tr>
                ))}
              </tbody>
            </HTMLTable>
          </div>
        )}
        {more > 0 && <p className={cells.muted}>and {formatCount(more)} more</p>}
      </DialogBody>
    </Dialog>
  )
}
