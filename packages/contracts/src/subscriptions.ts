import { z } from 'zod'
import { endpoint, internalEndpoint } from './endpoint.js'
import { invalidPieces } from './imports.js'
import { LIMITS } from './limits.js'
import { done, id, text, time } from './primitives.js'
import { FEED_KINDS, isFeedUrl, PULL_STATES } from './vocabulary.js'

const byId = z.strictObject({ id })
const url = z
  .string()
  .max(LIMITS.feedUrlMax)
  .transform(value => value.trim())
  .refine(isFeedUrl, 'must be an https URL without user, password and fragment')
/** Credentials of the feed: HTTP Basic with a user, a bearer token without one. */
const secret = z.strictObject({
  user: text(LIMITS.feedSecretMax)
    .regex(/^[^:\p{C}]*$/u, 'must not contain a colon')
    .default(''),
  key: text(LIMITS.feedSecretMax).regex(/^[\x20-\x7e]+$/, 'must be printable ASCII'),
})
const every = z.int().min(LIMITS.pullMinutesMin).max(LIMITS.pullMinutesMax)
/** Ed25519, SPKI in PEM. */
const publicKey = text(1_000).regex(
  /^-----BEGIN PUBLIC KEY-----[\s\S]+-----END PUBLIC KEY-----\s*$/,
  'must be a public key in PEM',
)

/** A feed of another tool that is pulled into a campaign. */
export const subscription = z.strictObject({
  id,
  url: z.string(),
  kind: z.enum(FEED_KINDS),
  campaign_id: id,
  /** Null if the campaign was deleted. */
  campaign_name: z.string().nullable(),
  /** User in whose name it imports; null once the account is deleted. */
  username: z.string().nullable(),
  has_secret: z.boolean(),
  /** With a key, an unsigned MISP feed is refused. */
  public_key: z.string().nullable(),
  /** Minutes between two runs. */
  every: z.int(),
  paused: z.boolean(),
  state: z.enum(PULL_STATES),
  /** When the next run is due; null while the subscription is paused or running. */
  next_at: time.nullable(),
  last: z
    .strictObject({
      at: time,
      /** Error of the run; null if it succeeded. */
      error: z.string().nullable(),
      /** New objects, and those of them that represent IODs. */
      objects: z.int(),
      iods: z.int(),
      /** Unreadable objects and events: they are skipped, and read again once they change. */
      skipped: z.int(),
      /** Objects that could be an IOD but are invalid as one: they are stored. */
      refused: z.int(),
      /** The first of the skipped and the refused ones. */
      invalid: invalidPieces,
      /** The first of its techniques that DISARM's list lacks. */
      unknown_techniques: z.array(z.string()).max(LIMITS.unknownTechniques),
    })
    .nullable(),
  /** Imported objects of the campaign by this subscription. */
  kept: z.int(),
  created_at: time,
})
export type Subscription = z.output<typeof subscription>

export const subscriptionsApi = {
  listSubscriptions: endpoint('user', 'GET /campaigns/subscriptions', {
    summary: 'Feeds that are pulled into campaigns, oldest first (admins)',
    response: z.array(subscription),
  }),
  createSubscription: endpoint('user', 'POST /campaigns/subscriptions', {
    summary:
      'Subscribe a campaign to a TAXII 2.1 collection or a MISP feed (admins). The secret is stored encrypted and never returned',
    body: z.strictObject({
      url,
      kind: z.enum(FEED_KINDS),
      campaign_id: id,
      every: every.default(LIMITS.pullMinutes),
      secret: secret.nullish(),
      public_key: publicKey.nullish(),
    }),
    response: subscription,
    status: 201,
  }),
  updateSubscription: endpoint('user', 'PATCH /campaigns/subscriptions/:id', {
    summary:
      'Pause or resume a subscription, or change its interval, secret or key (admins). The administrator who resumes it becomes its owner',
    params: byId,
    body: z.strictObject({
      paused: z.boolean().optional(),
      every: every.optional(),
      secret: secret.nullish(),
      public_key: publicKey.nullish(),
    }),
    response: subscription,
  }),
  runSubscription: endpoint('user', 'POST /campaigns/subscriptions/:id/run', {
    summary: 'Pull now; 409 while it is paused or running (admins)',
    params: byId,
    response: subscription,
    status: 202,
  }),
  deleteSubscription: endpoint('user', 'DELETE /campaigns/subscriptions/:id', {
    summary: 'Delete a subscription (admins). Its imported objects stay in the campaign',
    params: byId,
    response: byId,
  }),
} as const

/** Identifies one run: a worker with another token must stop. */
const run = z.strictObject({ token: z.string().max(64) })

export const subscriptionsInternal = {
  claimPull: internalEndpoint('POST /internal/subscriptions/claim', {
    summary: 'Lease a due subscription to a worker; null if none is due',
    response: z.strictObject({
      pull: z
        .strictObject({
          id,
          token: z.string(),
          url: z.string(),
          kind: z.enum(FEED_KINDS),
          /** Credentials, readable only with SECRETS_KEY, the subscription's id and its URL. */
          sealed: z.string().nullable(),
          public_key: z.string().nullable(),
          /** Cursor of the last imported run, in a format of the worker. */
          cursor: z.string().nullable(),
        })
        .nullable(),
    }),
  }),
  extendPull: internalEndpoint('POST /internal/subscriptions/:id/extend', {
    summary: 'Extend the lease of a run; 409 once the run belongs to another worker',
    params: byId,
    body: run,
    response: done,
  }),
  stagePull: internalEndpoint('POST /internal/subscriptions/:id/stage', {
    summary: 'Store the cursor of a run, which becomes effective once its objects are imported',
    params: byId,
    body: run.extend({
      cursor: z.string().max(LIMITS.pullCursorMax),
      /** The run reached its limits: the next one follows at once. */
      more: z.boolean(),
      /** UUIDs of events that the feed no longer contains. */
      withdrawn: z.array(z.string().max(36)).max(LIMITS.feedEventsMax).default([]),
      /** Unreadable content of the feed: its number, and the first of it. */
      skipped: z
        .strictObject({ count: z.int().min(0), listed: invalidPieces })
        .default({ count: 0, listed: [] }),
    }),
    response: done,
    bodyLimit: 2 * LIMITS.pullCursorMax,
  }),
  storePull: internalEndpoint('POST /internal/subscriptions/:id/objects', {
    summary: 'The file that a staged run pulled; its new objects are imported',
    params: byId,
    query: run,
    raw: true,
    bodyLimit: LIMITS.importBytes,
    response: z.strictObject({ objects: z.int() }),
  }),
  failPull: internalEndpoint('POST /internal/subscriptions/:id/fail', {
    summary: 'A run failed; the cursor stays',
    params: byId,
    body: run.extend({ error: z.string().max(500), retry_ms: z.int().min(0).max(86_400_000).nullable() }),
    response: done,
  }),
} as const
