import type { Notification, NotificationKind } from '@iodine/contracts'
import { paths, SectionLink, SideDrawer } from '@iodine/mfe-kit'
import { useWatches } from '@iodine/mfe-kit/watches'
import { Button, DateTime, EmptyState, formatRelative, LoadingPanel, LoadMore } from '@iodine/ui'
import {
  ChatIcon,
  CitationIcon,
  CommentIcon,
  DatabaseIcon,
  FlagIcon,
  GlobeNetworkIcon,
  NotificationsIcon,
  TagIcon,
  ThumbsUpIcon,
} from '@iodine/ui/icons'
import type { ReactElement } from 'react'
import styles from './NotificationsDrawer.module.css'
import { useMarkRead, useNotifications } from './queries'
import { eventText, notificationPath } from './texts'

const ICONS: Record<NotificationKind, ReactElement> = {
  iod: <TagIcon />,
  votes: <ThumbsUpIcon />,
  comment: <CommentIcon />,
  campaign: <FlagIcon />,
  records: <DatabaseIcon />,
  reply: <ChatIcon />,
  mention: <ChatIcon />,
  quoted: <CitationIcon />,
  webhook_off: <GlobeNetworkIcon />,
}

export interface NotificationsDrawerProps {
  isOpen: boolean
  onClose: () => void
}

/** The latest notifications. Each opens its subject and becomes read. */
export function NotificationsDrawer({ isOpen, onClose }: NotificationsDrawerProps) {
  return (
    <SideDrawer isOpen={isOpen} title="Notifications" onClose={onClose}>
      <Content onClose={onClose} />
    </SideDrawer>
  )
}

function Content({ onClose }: { onClose: () => void }) {
  const query = useNotifications()
  const { data: watches } = useWatches()
  const { run, isPending } = useMarkRead()
  const latest = query.data?.[0]
  const open = ({ id, read_at }: Notification) => {
    onClose()
    if (read_at === null) void run({ ids: [id] })
  }
  return (
    <>
      <div className={styles.bar}>
        <Button
          text="Mark all read"
          disabled={!query.data?.some(({ read_at }) => read_at === null)}
          loading={isPending}
          onClick={() => latest && void run({ until: latest.at })}
        />
        <SectionLink to={paths.profile({ tab: 'notifications' })} onClick={onClose}>
          Settings
        </SectionLink>
      </div>
      <LoadingPanel
        query={query}
        errorTitle="Unable to load notifications"
        empty={
          <EmptyState
            icon={<NotificationsIcon size={40} />}
            title="No notifications yet"
            description="Press “Watch” at an IOD, a campaign, a member or a search to hear what is new."
          />
        }
      >
        {notifications => (
          <ul className={styles.list}>
            {notifications.map(each => (
              <li key={each.id} className={each.read_at === null ? styles.unread : undefined}>
                <SectionLink
                  className={styles.item}
                  to={notificationPath(each, watches)}
                  onClick={() => open(each)}
                >
                  <span className={styles.icon}>{ICONS[each.kind]}</span>
                  <span className={styles.event}>
                    <bdi>{eventText(each)}</bdi>
                    {each.read_at === null && <span className="visually-hidden"> (unread)</span>}
                  </span>
                  <span className={styles.subject} dir="auto">
                    {each.subject.title}
                  </span>
                  <span className={styles.time}>
                    <DateTime value={each.at} format={formatRelative} />
                  </span>
                </SectionLink>
              </li>
            ))}
          </ul>
        )}
      </LoadingPanel>
      <LoadMore query={query.more} text="Show more" />
    </>
  )
}
