import { MAIL_MODES, type MailMode, type NotificationSettings } from '@iodine/contracts'
import { FormGroup, HTMLSelect } from '@iodine/ui'
import styles from '../Profile.module.css'
import { ProfileCard } from '../ProfileCard'
import { useChangeSettings } from './settings'

const LABELS: Record<MailMode, string> = {
  off: 'Off',
  at_once: 'At once',
  daily: 'Once a day',
  weekly: 'Once a week',
}

const zoneHere = () => Intl.DateTimeFormat().resolvedOptions().timeZone

/** Whether and when notifications are mailed. */
export function MailCard({ settings: { mail, time_zone } }: { settings: NotificationSettings }) {
  const change = useChangeSettings()
  const isDigest = mail === 'daily' || mail === 'weekly'
  const choose = (next: MailMode) =>
    // The time zone is asked for only with a digest, and begins with the browser's.
    change.run({ mail: next, ...(!isDigest && { time_zone: zoneHere() }) })
  const zones = [...new Set([time_zone, 'UTC', ...Intl.supportedValuesOf('timeZone')])].sort()
  return (
    <ProfileCard
      title="Mail"
      about="Mails contain links, not contents. Each has a link that switches them off."
    >
      <FormGroup className={styles.flat} label="Send notifications" labelFor="mail-mode">
        <HTMLSelect
          id="mail-mode"
          disabled={change.isPending}
          value={mail}
          onChange={event => void choose(event.currentTarget.value as MailMode)}
          options={MAIL_MODES.map(value => ({ value, label: LABELS[value] }))}
        />
      </FormGroup>
      {isDigest && (
        <FormGroup
          className={styles.flat}
          label="Time zone"
          labelFor="mail-zone"
          helperText={`Sent ${mail === 'weekly' ? 'on Mondays ' : ''}at 07:00.`}
        >
          <HTMLSelect
            id="mail-zone"
            disabled={change.isPending}
            value={time_zone}
            onChange={event => void change.run({ time_zone: event.currentTarget.value })}
            options={zones}
          />
        </FormGroup>
      )}
    </ProfileCard>
  )
}
