import { z } from 'zod'
import { endpoint } from './endpoint.js'
import { LIMITS } from './limits.js'
import { cursorParam, done, id, limitParam, time } from './primitives.js'
import { isFeedUrl, MAIL_MODES, NOTIFICATION_KINDS, NOTIFICATION_SUBJECTS } from './vocabulary.js'

export const notification = z.strictObject({
  id,
  /** Null for replies, mentions, quotes in reports, and messages about channels. */
  watch_id: id.nullable(),
  kind: z.enum(NOTIFICATION_KINDS),
  /**
   * What it opens: an IOD, a campaign, a user; for `report`, the reports that quote the user; for `search` and `records`, the watch with this id, as it may have many
   * matches; for `webhook`, the settings.
   */
  subject: z.strictObject({ kind: z.enum(NOTIFICATION_SUBJECTS), id: id.nullable(), title: z.string() }),
  /** The latest comment of `comment`, `reply` and `mention`; else null. */
  comment_id: id.nullable(),
  /** Votes at the latest event of `votes`; else null. */
  votes: z.strictObject({ positive: z.int(), negative: z.int() }).nullable(),
  /** User of the latest event; null if unknown, deleted or anonymous. */
  actor: z.strictObject({ id, username: z.string().nullable() }).nullable(),
  /** Time of the latest event. */
  at: time,
  read_at: time.nullable(),
  /** Events of one hour with the same watch and subject. */
  count: z.int(),
})
export type Notification = z.output<typeof notification>

/** The bell's state. */
export const unreadState = z.strictObject({
  /** Number of unread notifications, at most `LIMITS.unreadCounted`. */
  unread: z.int(),
  /** Time of the latest unread event; null without one. */
  latest: time.nullable(),
})
export type UnreadState = z.output<typeof unreadState>

const webhook = z.strictObject({
  url: z.string(),
  /** False once too many deliveries in a row have failed. */
  enabled: z.boolean(),
  /** Failed deliveries since the last success. */
  failures: z.int(),
  /** Result of the latest attempt; null before the first. `error` is null after a success. */
  last: z.strictObject({ at: time, error: z.string().nullable() }).nullable(),
  created_at: time,
})
export type Webhook = z.output<typeof webhook>

/** Name of a time zone in the IANA database, such as `Europe/Paris`. */
const timeZone = z
  .string()
  .max(64)
  .refine(name => {
    try {
      return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== ''
    } catch {
      return false
    }
  }, 'must be a time zone, such as Europe/Paris')

export const notificationSettings = z.strictObject({
  /** Whether replies and mentions notify. */
  replies: z.boolean(),
  mail: z.enum(MAIL_MODES),
  /** Digests are sent at 07:00 of this time zone. */
  time_zone: z.string(),
  webhook: webhook.nullable(),
})
export type NotificationSettings = z.output<typeof notificationSettings>

const webhookUrl = z
  .string()
  .max(LIMITS.feedUrlMax)
  .transform(value => value.trim())
  .refine(isFeedUrl, 'must be an https URL without user, password and fragment')

export const notificationsApi = {
  listNotifications: endpoint('user', 'GET /notifications', {
    scopes: ['read'],
    summary: `The caller's notifications of the last 90 days, latest first; at most ${LIMITS.notificationsKept} are kept`,
    query: z.strictObject({
      unread: z.literal('true').optional(),
      limit: limitParam(LIMITS.notificationsPage).default(20),
      cursor: cursorParam.optional(),
    }),
    response: z.array(notification),
  }),
  getUnread: endpoint('user', 'GET /notifications/unread', {
    scopes: ['read'],
    summary: 'The number of unread notifications, for polling by ETag',
    response: unreadState,
    conditional: true,
  }),
  markRead: endpoint('user', 'POST /notifications/read', {
    scopes: ['contribute'],
    summary: 'Mark notifications read: some by id, or all whose latest event is not after `until`',
    body: z.union([
      z.strictObject({ ids: z.array(id).min(1).max(LIMITS.notificationsPage) }),
      z.strictObject({ until: time }),
    ]),
    response: unreadState,
  }),
  getSettings: endpoint('user', 'GET /notifications/settings', {
    summary: 'Channels of the caller’s notifications',
    response: notificationSettings,
  }),
  updateSettings: endpoint('user', 'PATCH /notifications/settings', {
    summary: 'Change the mail mode, the time zone of digests, or whether replies and mentions notify',
    body: z.strictObject({
      replies: z.boolean().optional(),
      mail: z.enum(MAIL_MODES).optional(),
      time_zone: timeZone.optional(),
    }),
    response: notificationSettings,
  }),
  setWebhook: endpoint('user', 'PUT /notifications/webhook', {
    summary:
      'Set the webhook, or enable it again; each call creates a new secret, which only this response contains. Deliveries are signed by the Standard Webhooks specification',
    body: z.strictObject({ url: webhookUrl }),
    response: webhook.extend({ secret: z.string() }),
  }),
  testWebhook: endpoint('user', 'POST /notifications/webhook/test', {
    summary: 'Send a test to the webhook; `last` of the settings has the result. 404 without a webhook',
    response: done,
    status: 202,
  }),
  unsubscribe: endpoint('anyone', 'POST /notifications/unsubscribe/:token', {
    summary: 'End the mails of a user: the one-click link of a mail (RFC 8058). The body is ignored',
    params: z.strictObject({ token: z.string().max(100) }),
    takesForm: true,
    response: done,
  }),
  deleteWebhook: endpoint('user', 'DELETE /notifications/webhook', {
    summary: 'Remove the webhook with its pending deliveries',
    response: done,
  }),
} as const
