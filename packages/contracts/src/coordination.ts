import { z } from 'zod'
import { endpoint } from './endpoint.js'
import { LIMITS } from './limits.js'
import { filledText, id, limitParam, periodEnd, periodStart, time } from './primitives.js'
import { RUN_STATES, SHARE_KINDS, SOURCES } from './vocabulary.js'

const kinds = z
  .array(z.enum(SHARE_KINDS))
  .min(1)
  .max(SHARE_KINDS.length)
  .refine(all => new Set(all).size === all.length, 'must differ')

/** What the posts of a run are about, as Origins finds it: some claims, values or addresses, or one of the user's posts. */
export const runAbout = z
  .strictObject({
    /** What the run is called by: the value, or the campaign's name. */
    name: filledText(LIMITS.runNameMax),
    values: z.array(filledText()).min(1).max(LIMITS.coordinationValues).optional(),
    record_id: id.optional(),
  })
  .refine(
    about => (about.values === undefined) !== (about.record_id === undefined),
    'must have one of values, record_id',
  )
export type RunAbout = z.output<typeof runAbout>

/** What a run looks for. */
export const runQuestion = z.strictObject({
  /** `near` includes `text`. */
  kinds,
  /** Seconds between two shares of the same that still count as together. */
  window_s: z.int().min(1).max(LIMITS.coordinationWindowMaxS),
  /** Shares that an account must have, and posts of it that must be in pairs. */
  min_participation: z.int().min(1).max(LIMITS.coordinationParticipationMax),
  /** Posts since and until then, as their pages say. */
  since: periodStart.optional(),
  until: periodEnd.optional(),
  /** `shared`: with the caller's own records those that others share. */
  scope: z.enum(['own', 'shared']).default('own'),
  /** Limits the run to posts about something. */
  about: runAbout.optional(),
})
export type RunQuestion = z.output<typeof runQuestion>

export const coordinationRun = z.strictObject({
  id,
  state: z.enum(RUN_STATES),
  /** 0 to 1. */
  progress: z.number().min(0).max(1),
  kinds,
  window_s: z.int(),
  min_participation: z.int(),
  since: time.nullable(),
  until: time.nullable(),
  scope: z.enum(['own', 'shared']),
  about: runAbout.nullable(),
  created_at: time,
  /** The run is removed then. */
  expires_at: time,
  /** Why it failed. */
  problem: z.string().nullable(),
  /** Null until it is done. */
  totals: z
    .strictObject({
      /** Posts that were looked at, and those left out because their page says no time, or not whose they are. */
      posts: z.int(),
      without_time: z.int(),
      without_account: z.int(),
      shares: z.int(),
      pairs: z.int(),
      accounts: z.int(),
      edges: z.int(),
      /** Pairs that an edge must exceed to be more than chance; null where there were too many shares to tell. */
      threshold: z.number().nullable(),
    })
    .nullable(),
  /** There are more shares, more pairs of an object, or more edges than are looked at or kept. */
  truncated: z.strictObject({ shares: z.boolean(), objects: z.int(), edges: z.boolean() }),
})
export type CoordinationRun = z.output<typeof coordinationRun>

const account = filledText()
export const coordinationNetwork = z.strictObject({
  nodes: z.array(
    z.strictObject({
      /** Source and name. */
      id: account,
      source: z.enum(SOURCES),
      account: z.string(),
      /** Pairs that it is in, of the edges that are returned. */
      pairs: z.int(),
    }),
  ),
  /** The heaviest first. */
  edges: z.array(
    z.strictObject({
      a: account,
      b: account,
      /** Pairs of shares. */
      weight: z.int(),
      avg_delta_s: z.number(),
      /** Distinct posts that are the older one of a pair, and the newer one. */
      n_a: z.int(),
      n_b: z.int(),
      symmetry: z.number(),
      /** Whether that is more than chance; null where that was not found out. */
      significant: z.boolean().nullable(),
      /** Share of 100 runs with shuffled times, and of these data, in which both have as many pairs; null likewise. */
      p_value: z.number().nullable(),
      /** Expected share of chance finds among the edges with at most this p-value (Benjamini and Hochberg); null likewise. */
      q_value: z.number().nullable(),
    }),
  ),
})
export type CoordinationNetwork = z.output<typeof coordinationNetwork>

const post = z.strictObject({
  /** The record's id of an own one. */
  id: id.nullable(),
  source: z.enum(SOURCES),
  account: z.string(),
  url: z.string().nullable(),
  posted_at: time,
  /** Null while the collector is down. */
  excerpt: z.string().nullable(),
})
export const coordinationEvidence = z.strictObject({
  /** Of all pairs, also those that are not kept or not shared any more. */
  total: z.int(),
  pairs: z.array(
    z.strictObject({
      kind: z.enum(SHARE_KINDS),
      /** The link or hashtag; null for a text, a picture or a video. */
      object: z.string().nullable(),
      older: post,
      newer: post,
      delta_s: z.number(),
    }),
  ),
})
export type CoordinationEvidence = z.output<typeof coordinationEvidence>

/** The caller's own posts that a run left out. */
export const coordinationLeftOut = z.strictObject({
  posts: z.array(
    post.omit({ id: true, account: true, posted_at: true }).extend({
      id,
      account: z.string().nullable(),
      collected_at: time,
      /** What the page does not say: when it was posted, or whose it is. */
      why: z.enum(['time', 'account']),
    }),
  ),
})
export type CoordinationLeftOut = z.output<typeof coordinationLeftOut>

const params = z.strictObject({ id })

export const coordinationApi = {
  createRun: endpoint('user', 'POST /coordination/runs', {
    scopes: ['contribute'],
    summary: `Find accounts that share the same within a time; ${LIMITS.coordinationRunsAtOnce} at once, kept for 30 days`,
    body: runQuestion,
    response: coordinationRun,
    status: 201,
  }),
  getRuns: endpoint('user', 'GET /coordination/runs', {
    scopes: ['read'],
    summary: `The caller's runs, newest first; the latest ${LIMITS.coordinationRunsKept} are kept`,
    response: z.array(coordinationRun),
  }),
  getRun: endpoint('user', 'GET /coordination/runs/:id', {
    scopes: ['read', 'contribute'],
    summary: 'State, progress and totals of a run',
    params,
    response: coordinationRun,
  }),
  deleteRun: endpoint('user', 'DELETE /coordination/runs/:id', {
    summary: 'Remove a run and what it found',
    params,
    response: z.strictObject({ id }),
  }),
  getNetwork: endpoint('user', 'GET /coordination/runs/:id/graph', {
    scopes: ['read'],
    summary: 'The accounts that share the same, and their edges, the heaviest first; none until it is done',
    params,
    query: z.strictObject({ limit: limitParam(LIMITS.coordinationEdges).optional() }),
    response: coordinationNetwork,
  }),
  getLeftOut: endpoint('user', 'GET /coordination/runs/:id/left-out', {
    scopes: ['read'],
    summary: `The caller’s own posts without a time or an account, which the run left out; at most ${LIMITS.coordinationLeftOut}`,
    params,
    response: coordinationLeftOut,
  }),
  getShares: endpoint('user', 'GET /coordination/runs/:id/shares', {
    scopes: ['read'],
    summary: 'The evidence of an edge: both posts of its pairs, and both times',
    params,
    query: z.strictObject({ a: account, b: account }),
    response: coordinationEvidence,
  }),
} as const
