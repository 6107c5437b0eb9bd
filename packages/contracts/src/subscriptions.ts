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
/** What the other side asks for: HTTP Basic with a user, a bearer token without one. */
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
  /** Null: the campaign is gone. */
  campaign_name: z.string().nullable(),
  /** In whose name it imports; null once the account is deleted. */
  username: z.string().nullable(),
  has_secret: z.boolean(),
  /** With it, a MISP feed without its signature is refused. */
  public_key: z.string().nullable(),
  /** Minutes between two runs. */
  every: z.int(),
  paused: z.boolean(),
  state: z.enum(PULL_STATES),
  /** When the next run is due; null while it is paused or at work. */
  next_at: time.nullable(),
  last: z
    .strictObject({
      at: time,
      /** Why the run failed; null if it did not. */
      error: z.string().nullable(),
      /** Objects that were new, and those of them that stand for IODs. */
      objects: z.int(),
      iods: z.int(),
      /** Objects and events that can't be read: they are left out, and read again once they change. */
      skipped: z.int(),
      /** Objects that could be an IOD, but that none can be made of: they are kept. */
      refused: z.int(),
      /** The first of both. */
      invalid: invalidPieces,
      /** The first of the techniques that it names and the list of DISARM's techniques lacks. */
      unknown_techniques: z.array(z.string()).max(LIMITS.unknownTechniques),
    })
    .nullable(),
  /** Objects that the campaign keeps by it. */
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
      'Pull a TAXII 2.1 collection or a MISP feed into a campaign from now on (admins). The secret is stored encrypted and never answered',
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
      'Pause a subscription or let it go on, change its interval, secret or key (admins). Who lets it go on imports from then on',
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
    summary: 'Pull now; 409 while it is paused or at work (admins)',
    params: byId,
    response: subscription,
    status: 202,
  }),
  deleteSubscription: endpoint('user', 'DELETE /campaigns/subscriptions/:id', {
    summary: 'End a subscription (admins). What came by it stays in the campaign',
    params: byId,
    response: byId,
  }),
} as const

/** Names one run: who has another one does no more of it. */
const run = z.strictObject({ token: z.string().max(64) })

export const subscriptionsInternal = {
  claimPull: internalEndpoint('POST /internal/subscriptions/claim', {
    summary: 'A subscription that is due, for one worker until its lease ends; null where none is',
    response: z.strictObject({
      pull: z
        .strictObject({
          id,
          token: z.string(),
          url: z.string(),
          kind: z.enum(FEED_KINDS),
          /** Readable with SECRETS_KEY, the subscription's id and its URL alone. */
          sealed: z.string().nullable(),
          public_key: z.string().nullable(),
          /** Where the last run that was imported ended: the worker's own. */
          cursor: z.string().nullable(),
        })
        .nullable(),
    }),
  }),
  extendPull: internalEndpoint('POST /internal/subscriptions/:id/extend', {
    summary: 'The worker is at it still; 409 once the run is another worker’s',
    params: byId,
    body: run,
    response: done,
  }),
  stagePull: internalEndpoint('POST /internal/subscriptions/:id/stage', {
    summary: 'Where a run has ended. It counts once what came by it is imported',
    params: byId,
    body: run.extend({
      cursor: z.string().max(LIMITS.pullCursorMax),
      /** The bounds of a run were met: the next one follows at once. */
      more: z.boolean(),
      /** UUIDs of events that the feed has no more. */
      withdrawn: z.array(z.string().max(36)).max(LIMITS.feedEventsMax).default([]),
      /** What the feed has and can't be read, and the first of it. */
      skipped: z
        .strictObject({ count: z.int().min(0), listed: invalidPieces })
        .default({ count: 0, listed: [] }),
    }),
    response: done,
    bodyLimit: 2 * LIMITS.pullCursorMax,
  }),
  storePull: internalEndpoint('POST /internal/subscriptions/:id/objects', {
    summary: 'What a staged run has fetched, as a file of its format: what is new in it is imported',
    params: byId,
    query: run,
    raw: true,
    bodyLimit: LIMITS.importBytes,
    response: z.strictObject({ objects: z.int() }),
  }),
  failPull: internalEndpoint('POST /internal/subscriptions/:id/fail', {
    summary: 'A run has brought nothing; the cursor stays',
    params: byId,
    body: run.extend({ error: z.string().max(500), retry_ms: z.int().min(0).max(86_400_000).nullable() }),
    response: done,
  }),
} as const
