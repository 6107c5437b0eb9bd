import { z } from 'zod'
import { internalEndpoint } from './endpoint.js'
import { newIod } from './iods.js'
import { LIMITS } from './limits.js'
import { done, id, time } from './primitives.js'
import { sightingRecord } from './sightings.js'
import { TLP_LEVELS } from './vocabulary.js'

const event = <const T extends string, D extends z.ZodRawShape>(type: T, data: D) =>
  z.strictObject({ type: z.literal(type), ...data })

/** Level of the subject; null: unmarked. Owners publish no event about TLP:RED content. */
const tlp = z.enum(TLP_LEVELS).exclude(['red']).nullable()

/** Events that may notify, by the services that own their subjects. Readable by all members. */
export const notificationEvent = z.discriminatedUnion('type', [
  event('iod.created', {
    id,
    user_id: id,
    ...newIod.shape,
    source: z.string().nullable(),
    source_id: z.int().nullable(),
    tlp,
    at: time,
  }),
  /** A side has passed 3, 10 or 30 votes, or the majority has changed sides. */
  event('iod.voted', { id, value: z.string(), positive: z.int(), negative: z.int(), tlp, at: time }),
  event('comment.created', {
    id,
    subject: z.strictObject({ kind: z.enum(['iod', 'campaign']), id, title: z.string() }),
    user_id: id,
    /** Mentioned users. */
    mentions: z.array(id).max(LIMITS.commentMentionsMax),
    /** Author of the comment that it replies to; null if it is no reply, or the author’s account is deleted. */
    replied_to: id.nullable(),
    tlp,
    at: time,
  }),
  /** A report in review has content of a user, who can take it out until a time. One event for each user. */
  event('report.quoted', {
    id,
    title: z.string(),
    /** Its author. */
    user_id: id.nullable(),
    quoted: id,
    until: time,
    tlp,
    at: time,
  }),
  event('campaign.changed', { id, name: z.string(), user_id: id.nullable(), tlp, at: time }),
])
export type NotificationEvent = z.output<typeof notificationEvent>

/** Served by the notifications service. */
export const notificationsInternal = {
  receiveEvents: internalEndpoint('POST /internal/notifications/events', {
    summary: 'Notify the users who watch the subjects of events; each event once. Idempotent',
    body: z.strictObject({ events: z.array(notificationEvent).max(LIMITS.notificationEvents) }),
    response: done,
    bodyLimit: LIMITS.ingestBodyBytes,
  }),
  receiveRecords: internalEndpoint('POST /internal/notifications/records', {
    summary:
      'Notify the owner of new records, and other users of shared ones, that contain what they watch; each once. Idempotent',
    body: z.strictObject({
      user_id: id,
      records: z.array(sightingRecord).max(LIMITS.sightingsBatch),
    }),
    response: done,
    bodyLimit: LIMITS.ingestBodyBytes,
  }),
  getDelivery: internalEndpoint('GET /internal/webhooks/:id', {
    summary: 'A pending delivery to a webhook; 404 once it is completed',
    params: z.strictObject({ id }),
    response: z.strictObject({
      id,
      user_id: id,
      url: z.string(),
      /** Secret of the signature, readable only with SECRETS_KEY, the user’s id and the URL. */
      sealed: z.string(),
      payload: z.string(),
    }),
  }),
  finishDelivery: internalEndpoint('POST /internal/webhooks/:id/result', {
    summary: 'The result of an attempt; idempotent',
    params: z.strictObject({ id }),
    body: z.strictObject({ error: z.string().max(500).nullable() }),
    response: done,
  }),
} as const
