import { z } from 'zod'
import { internalEndpoint } from './endpoint.js'
import { LIMITS } from './limits.js'
import { done, id, text, time } from './primitives.js'
import { CATEGORIES } from './vocabulary.js'

/** Number of earlier restorations of the narrative: the event with the higher number is the later one. 0 if absent. */
const restored = z.int().optional()

const envelope = <const T extends string, D extends z.ZodRawShape>(type: T, data: D) =>
  z.strictObject({ type: z.literal(type), data: z.strictObject(data) })

const iodCreated = envelope('iod.created', {
  id,
  user_id: id,
  value: z.string(),
  category: z.enum(CATEGORIES),
  description: z.string(),
  created_at: time,
})

/** Domain events: sent by the owner of the data to the community service and other projections. */
export const domainEvent = z.discriminatedUnion('type', [
  envelope('user.created', { id, username: z.string().nullable(), created_at: time }),
  envelope('user.renamed', { id, username: z.string(), revision: z.int() }),
  envelope('user.deleted', { id }),
  iodCreated,
  envelope('narrative.created', {
    id,
    user_id: id,
    text: z.string(),
    triplets: z.int(),
    created_at: time,
    restored,
  }),
  envelope('narrative.deleted', { id, user_id: id, restored }),
])
export type DomainEvent = z.output<typeof domainEvent>
export type EventType = DomainEvent['type']

interface QueueSpec {
  /** Data of a job: ids, never texts; the worker fetches texts from the owner. Mails are sealed. */
  data: z.ZodType
  /** Interval of a scheduled job, which runs once for the whole deployment, with empty data. */
  everyMs?: number
}

/** Queues of background work. */
export const QUEUES = {
  extraction: { data: z.strictObject({ narrative_id: id, user_id: id }) },
  mail: { data: z.strictObject({ sealed: z.string() }) },
  /** Clusters the labels of a user's triplets. */
  canon: { data: z.strictObject({ user_id: id }) },
  /** Names techniques of DISARM in a text. */
  techniques: { data: z.strictObject({ proposal_id: id, user_id: id }) },
  /** Pulls the due feeds. A job names none: the worker claims a subscription. */
  subscriptions: { data: z.strictObject({}), everyMs: 60_000 },
  /** Delivers a notification to a user's webhook. */
  webhooks: { data: z.strictObject({ delivery_id: id }) },
  /** Obtains a time stamp for the log of seals. */
  anchors: { data: z.strictObject({}), everyMs: 3_600_000 },
} as const satisfies Record<string, QueueSpec>
export type QueueName = keyof typeof QUEUES
export type JobData<Q extends QueueName> = z.output<(typeof QUEUES)[Q]['data']>

/** Returns the interval of a queue's scheduled job in milliseconds; undefined if its jobs are added by events. */
export const everyMs = (queue: QueueName): number | undefined => (QUEUES[queue] as QueueSpec).everyMs

/** Content of a sealed mail job (context `mail`), which the mail worker unseals. */
export const mailJob = z.discriminatedUnion('template', [
  z.strictObject({ template: z.literal('magic-link'), to: z.string(), link: z.string() }),
  z.strictObject({ template: z.literal('account-suspended'), to: z.string(), link: z.string() }),
  // `delete_at`: when the account is deleted unless its owner signs in before.
  z.strictObject({
    template: z.literal('inactive-account'),
    to: z.string(),
    link: z.string(),
    delete_at: time,
    // Reported to auth once the mail server has accepted or refused the mail: the user and their period of
    // inactivity.
    user_id: id,
    last_active_at: time,
  }),
  // To the account's current and new addresses.
  z.strictObject({
    template: z.literal('confirm-old-address'),
    to: z.string(),
    link: z.string(),
    new_email: z.string(),
  }),
  z.strictObject({
    template: z.literal('confirm-new-address'),
    to: z.string(),
    link: z.string(),
    old_email: z.string(),
  }),
  // Replaces `confirm-new-address` for an address that no account can take.
  z.strictObject({ template: z.literal('address-not-free'), to: z.string(), link: z.string() }),
  z.strictObject({
    template: z.literal('address-changed'),
    to: z.string(),
    link: z.string(),
    new_email: z.string(),
  }),
  z.strictObject({ template: z.literal('confirm-deletion'), to: z.string(), link: z.string() }),
  z.strictObject({
    template: z.literal('deletion-scheduled'),
    to: z.string(),
    link: z.string(),
    delete_at: time,
  }),
  z.strictObject({
    template: z.literal('data-export-ready'),
    to: z.string(),
    link: z.string(),
    expires_at: time,
  }),
  z.strictObject({
    template: z.literal('notifications'),
    to: z.string(),
    link: z.string(),
    /** Sentences, each with the URL that it is about. */
    items: z.array(z.strictObject({ text: z.string(), link: z.string() })),
    /** Number of notifications that the mail omits. */
    more: z.int(),
    /** URL that ends the mails by POST (RFC 8058). */
    unsubscribe: z.string(),
  }),
])
export type MailJob = z.output<typeof mailJob>

/** Notification in a mail. Mails contain no title: a title may be above TLP:GREEN. */
export const mailedNotification = z.strictObject({
  /** Sentence without content, such as `3 new IODs match a search that you watch`. */
  text: text(300),
  /** Path of its page in the web app. */
  path: z
    .string()
    .max(500)
    .regex(/^\/[\w/?=&#%.-]*$/),
})
export type MailedNotification = z.output<typeof mailedNotification>

export const communityInternal = {
  applyEvents: internalEndpoint('POST /internal/events', {
    summary:
      'Apply domain events to the projection, in order; consecutive created IODs atomically. Idempotent',
    body: z.strictObject({ events: z.array(domainEvent).min(1).max(LIMITS.upsertIodsMax) }),
    response: done,
    bodyLimit: 8 * LIMITS.bodyBytes,
  }),
} as const

/** Served by the auth service, which stores pending mails. */
export const mailsInternal = {
  mailNotifications: internalEndpoint('POST /internal/mails/notifications', {
    summary:
      'Mail notifications to a user; a pending mail with the same id is sent once. Without effect for a suspended or deleted account',
    body: z.strictObject({
      id: z.string().max(100),
      user_id: id,
      items: z.array(mailedNotification).max(LIMITS.mailedNotifications),
      more: z.int().min(0),
      unsubscribe: z.string().max(100),
    }),
    response: done,
  }),
  completeMail: internalEndpoint('POST /internal/mails/:id/settled', {
    summary: 'A mail server accepted the mail, or rejected it permanently; idempotent',
    params: z.strictObject({ id: z.string().max(100) }),
    response: done,
  }),
} as const

/** Served by the owners of projected data: the present state, page by page. */
export const historyInternal = {
  listHistory: internalEndpoint('POST /internal/history', {
    summary: 'Events that rebuild a projection, for the entities after an id, and the next id',
    body: z.strictObject({ after: id.nullable() }),
    response: z.strictObject({ events: z.array(domainEvent), next: id.nullable() }),
  }),
  filterKnown: internalEndpoint('POST /internal/history/known', {
    summary: 'The ids whose entities still exist',
    body: z.strictObject({ ids: z.array(id).max(1_000) }),
    response: z.strictObject({ ids: z.array(id) }),
  }),
} as const

/** Served by projections: the community's profiles, the graph's counts. */
export const rebuildInternal = {
  rebuildStep: internalEndpoint('POST /internal/rebuild', {
    summary:
      'Perform a bounded step of rebuilding the projection; a null cursor starts the rebuild, and a returned null ends it',
    body: z.strictObject({ cursor: z.string().max(100).nullable() }),
    response: z.strictObject({ cursor: z.string().nullable() }),
  }),
} as const
