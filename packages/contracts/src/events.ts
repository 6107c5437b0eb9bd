import { z } from 'zod'
import { internalEndpoint } from './endpoint.js'
import { done, id, time } from './primitives.js'
import { CATEGORIES } from './vocabulary.js'

const envelope = <const T extends string, D extends z.ZodRawShape>(type: T, data: D) =>
  z.strictObject({ type: z.literal(type), data: z.strictObject(data) })

/** Domain events: what the owner of a thing tells the community, and whoever else keeps something derived from it. */
export const domainEvent = z.discriminatedUnion('type', [
  envelope('user.created', { id, username: z.string().nullable(), created_at: time }),
  envelope('user.renamed', { id, username: z.string(), revision: z.int() }),
  envelope('user.deleted', { id }),
  envelope('iod.created', {
    id,
    user_id: id,
    value: z.string(),
    category: z.enum(CATEGORIES),
    description: z.string(),
    created_at: time,
  }),
  envelope('narrative.created', { id, user_id: id, text: z.string(), triplets: z.int(), created_at: time }),
  envelope('narrative.deleted', { id, user_id: id }),
])
export type DomainEvent = z.output<typeof domainEvent>
export type EventType = DomainEvent['type']

/** Whose events go to the community. */
export const ANNOUNCERS = ['auth', 'iods', 'narratives'] as const
export type Announcer = (typeof ANNOUNCERS)[number]

/** That something happened to a thing. `revision` tells one rename from another. */
export interface Notice {
  type: EventType
  id: string
  revision?: number
}

interface QueueSpec {
  /** What a job carries: ids, never texts, as whoever does the work asks the owner. Mails are sealed. */
  data: z.ZodType
  /** A job of the clock: added so often, once for the whole deployment, with empty data. */
  everyMs?: number
}

/** Background work, by queue. */
export const QUEUES = {
  extraction: { data: z.strictObject({ narrative_id: id, user_id: id }) },
  graph: { data: z.strictObject({ narrative_id: id }) },
  projections: { data: z.strictObject({ owner: z.enum(ANNOUNCERS), id }) },
  mail: { data: z.strictObject({ sealed: z.string() }) },
  /** What services keep of a deleted user. */
  erasures: { data: z.strictObject({ user_id: id }) },
  inactivity: { data: z.strictObject({}), everyMs: 3_600_000 },
  repair: { data: z.strictObject({}), everyMs: 2_000 },
} as const satisfies Record<string, QueueSpec>
export type QueueName = keyof typeof QUEUES
export type JobData<Q extends QueueName> = z.output<(typeof QUEUES)[Q]['data']>

/** How often a queue's job is added by the clock, in milliseconds; undefined where it is added by what happens. */
export const everyMs = (queue: QueueName): number | undefined => (QUEUES[queue] as QueueSpec).everyMs

/** Which queue hears of which event. */
export const SUBSCRIPTIONS: Record<EventType, readonly ('projections' | 'graph' | 'erasures')[]> = {
  'user.created': ['projections'],
  'user.renamed': ['projections'],
  'user.deleted': ['erasures'],
  'iod.created': ['projections'],
  'narrative.created': ['projections', 'graph'],
  'narrative.deleted': ['projections', 'graph'],
}

/** What the mail worker opens from a sealed mail job (context `mail`). */
export const mailJob = z.discriminatedUnion('template', [
  z.strictObject({ template: z.literal('magic-link'), to: z.string(), link: z.string() }),
  z.strictObject({ template: z.literal('account-suspended'), to: z.string(), link: z.string() }),
  // `delete_at`: when the account goes unless its owner signs in before.
  z.strictObject({
    template: z.literal('inactive-account'),
    to: z.string(),
    link: z.string(),
    delete_at: time,
    // What the worker tells auth of once the mail server has decided: of whom, and of which spell without activity.
    user_id: id,
    last_active_at: time,
  }),
])
export type MailJob = z.output<typeof mailJob>

export const communityInternal = {
  applyEvent: internalEndpoint('POST /internal/events', {
    summary: 'Apply a domain event to the projection; repeating it changes nothing',
    body: domainEvent,
    response: done,
  }),
} as const

/** Served by the auth service, which remembers the mails that it has promised. */
export const mailsInternal = {
  settleMail: internalEndpoint('POST /internal/mails/:id/settled', {
    summary: 'A mail server has taken the mail, or refused it for good; repeating it changes nothing',
    params: z.strictObject({ id: z.string().max(100) }),
    response: done,
  }),
} as const

/** Served by those whose events go to the community. */
export const announceInternal = {
  announce: internalEndpoint('POST /internal/announce/:id', {
    summary: 'Tell the community how a thing stands, and note that it knows; repeating it changes nothing',
    params: z.strictObject({ id }),
    response: done,
  }),
} as const

/** Served by the services that own what others project: today's truth, read page by page. */
export const historyInternal = {
  listHistory: internalEndpoint('POST /internal/history', {
    summary: 'Events that bring a projection up to date, for the things after an id, and where to go on',
    body: z.strictObject({ after: id.nullable() }),
    response: z.strictObject({ events: z.array(domainEvent), next: id.nullable() }),
  }),
  filterKnown: internalEndpoint('POST /internal/history/known', {
    summary: 'Those of the ids whose things are there still',
    body: z.strictObject({ ids: z.array(id).max(1_000) }),
    response: z.strictObject({ ids: z.array(id) }),
  }),
} as const

/** Served by what keeps something derived: the community's profiles, the graph's counts. */
export const rebuildInternal = {
  rebuildStep: internalEndpoint('POST /internal/rebuild', {
    summary:
      'One bounded step of bringing what is derived in line with the truth; null begins, and says it is done',
    body: z.strictObject({ cursor: z.string().max(100).nullable() }),
    response: z.strictObject({ cursor: z.string().nullable() }),
  }),
} as const
