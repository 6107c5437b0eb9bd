import type { Subscription } from '@iodine/contracts'
import { formatCount, HTMLTable, useRetained } from '@iodine/ui'
import { Dialog, DialogBody } from '@iodine/ui/overlays'
import cells from './cells.module.css'
import styles from './Subscriptions.module.css'

export interface PullReasonsDialogProps {
  /** Null: closed. */
  subscription: Subscription | null
  onClose: () => void
}

/** Shows the parts of a feed that the last run left out or could not make IODs of, with the reasons. */
export function PullReasonsDialog({ subscription, onClose }: PullReasonsDialogProps) {
  // While the dialog closes, it shows the last subscription.
  const shown = useRetained(subscription)
  // A service of the previous version does not state them.
  const { skipped = 0, refused = 0, invalid = [], unknown_techniques: unknown = [] } = shown?.last ?? {}
  const more = skipped + refused - invalid.length
  return (
    <Dialog isOpen={subscription !== null} onClose={onClose} title="Last run">
      <DialogBody>
        <p className={cells.text}>
          {formatCount(skipped)} part(s) of the feed can’t be read and are left out; they are read again once
          they change. {formatCount(refused)} object(s) whose value can’t be an IOD are kept as they are.
        </p>
        {unknown.length > 0 && (
          <p className={cells.text}>
            {formatCount(unknown.length)} technique(s) are not in the list of DISARM and are not added to the
            campaign: {unknown.join(', ')}
          </p>
        )}
        {invalid.length > 0 && (
          <div className={styles.reasons}>
            <HTMLTable compact aria-label="Reasons">
              <thead>
                <tr>
                  <th scope="col">Place</th>
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
