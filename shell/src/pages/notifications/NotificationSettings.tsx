import type { NotificationSettings as Settings } from '@iodine/contracts'
import { Disclosure, LoadingPanel, Switch } from '@iodine/ui'
import styles from '../Profile.module.css'
import { ProfileCard } from '../ProfileCard'
import { FeedCard } from './FeedCard'
import { MailCard } from './MailCard'
import { useChangeSettings, useSettings } from './settings'
import { WatchesCard } from './WatchesCard'
import { WebhookCard } from './WebhookCard'

/** The user's watches, and the channels of notifications. */
export function NotificationSettings() {
  const query = useSettings()
  return (
    <div className={styles.cards}>
      <WatchesCard />
      <LoadingPanel query={query} errorTitle="Unable to load the settings" compact>
        {settings => (
          <>
            <RepliesCard settings={settings} />
            <MailCard settings={settings} />
            <div>
              <Disclosure label="Advanced" active={settings.webhook ? 1 : 0}>
                <div className={styles.cards}>
                  <WebhookCard webhook={settings.webhook} />
                  <FeedCard />
                </div>
              </Disclosure>
            </div>
          </>
        )}
      </LoadingPanel>
    </div>
  )
}

function RepliesCard({ settings: { replies } }: { settings: Settings }) {
  const change = useChangeSettings()
  return (
    <ProfileCard title="Replies and mentions">
      <Switch
        className={styles.flat}
        checked={replies}
        disabled={change.isPending}
        label="Notify me when someone replies to my comment or mentions me"
        onChange={event => void change.run({ replies: event.currentTarget.checked })}
      />
    </ProfileCard>
  )
}
