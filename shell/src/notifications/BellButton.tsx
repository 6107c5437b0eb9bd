import { Button, Tag } from '@iodine/ui'
import { NotificationsIcon } from '@iodine/ui/icons'
import styles from './BellButton.module.css'
import { unreadText } from './texts'

export interface BellButtonProps {
  unread?: number
  /** Without it the button is disabled. */
  onOpen?: () => void
}

/** The bell with the number of unread notifications. */
export function BellButton({ unread = 0, onOpen }: BellButtonProps) {
  const count = unread > 0 && unreadText(unread)
  return (
    <span className={styles.bell}>
      <Button
        variant="minimal"
        icon={<NotificationsIcon />}
        aria-label={count ? `Notifications, ${count} unread` : 'Notifications'}
        aria-haspopup="dialog"
        title="Notifications"
        disabled={!onOpen}
        onClick={onOpen}
      />
      {count && (
        <Tag className={styles.count} round intent="danger" aria-hidden>
          {count}
        </Tag>
      )}
    </span>
  )
}
