import type { NotificationSettings, Webhook } from '@iodine/contracts'
import type { PersonDoc, WebhookDoc } from '../models/person.js'

/** Returns a webhook as its user sees it, without its secret. */
export const presentWebhook = ({ url, enabled, failures, last, created_at }: WebhookDoc): Webhook => ({
  url,
  enabled,
  failures,
  last: last && { at: last.at.toISOString(), error: last.error },
  created_at: created_at.toISOString(),
})

/** Returns the settings of a user; the defaults without any. */
export const presentSettings = (person: PersonDoc | null): NotificationSettings => ({
  replies: person?.replies ?? true,
  mail: person?.mail ?? 'off',
  time_zone: person?.time_zone ?? 'UTC',
  webhook: person?.webhook ? presentWebhook(person.webhook) : null,
})
