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

/** Topic of a run, as Origins searches it: claims, values or URLs, or one of the user's posts. */
export const runAbout = z
  .strictObject({
    /** Name of the topic: the value, or the campaign's name. */
    name: filledText(LIMITS.runNameMax),
    values: z.array(filledText()).min(1).max(LIMITS.coordinationValues).optional(),
    record_id: id.optional(),
  })
  .refine(
    about => (about.values === undefined) !== (about.record_id === undefined),
    'must have one of values, record_id',
  )
export type RunSubject = z.output<typeof runAbout>

/** Parameters of a run. */
export const runQuestion = z.strictObject({
  /** `near` includes `text`. */
  kinds,
  /** Maximum seconds between two shares of one object that form a pair. */
  window_s: z.int().min(1).max(LIMITS.coordinationWindowMaxS),
  /** Minimum shares of an account, and minimum of its posts in pairs. */
  min_participation: z.int().min(1).max(LIMITS.coordinationParticipationMax),
  /** Bounds of the posting times that pages state. */
  since: periodStart.optional(),
  until: periodEnd.optional(),
  /** `shared`: the caller's own records, and those that others share. */
  scope: z.enum(['own', 'shared']).default('own'),
  /** Limits the run to posts about a topic. */
  about: runAbout.optional(),
})
export type RunParameters = z.output<typeof runQuestion>

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
  /** Time of the removal of the run. */
  expires_at: time,
  /** Reason of a failure; null without one. */
  problem: z.string().nullable(),
  /** Null until it is done. */
  totals: z
    .strictObject({
      /** Examined posts, and those omitted because their page states no time, or no account. */
      posts: z.int(),
      without_time: z.int(),
      without_account: z.int(),
      shares: z.int(),
      pairs: z.int(),
      accounts: z.int(),
      edges: z.int(),
      /** Number of pairs that a significant edge exceeds; null if there were too many shares to compute it. */
      threshold: z.number().nullable(),
    })
    .nullable(),
  /** Exceeded limits: shares that are examined, pairs of an object, edges that are stored. */
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
      /** Number of its pairs in the returned edges. */
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
      /** Whether the edge is significant; null if not tested. */
      significant: z.boolean().nullable(),
      /**
       * Share of 100 runs with shuffled times, and of the data itself, in which both accounts have as many pairs; null
       * if not tested.
       */
      p_value: z.number().nullable(),
      /** False discovery rate of the edges with at most this p-value (Benjamini and Hochberg); null if not tested. */
      q_value: z.number().nullable(),
    }),
  ),
})
export type CoordinationNetwork = z.output<typeof coordinationNetwork>

const post = z.strictObject({
  /** Record id of the caller's own post; null for posts of others. */
  id: id.nullable(),
  source: z.enum(SOURCES),
  account: z.string(),
  url: z.string().nullable(),
  posted_at: time,
  /** Null while the collector is down. */
  excerpt: z.string().nullable(),
})
export const coordinationEvidence = z.strictObject({
  /** Number of all pairs, also those that are not stored or no longer shared. */
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

/** The caller's own posts that a run omitted. */
export const coordinationOmitted = z.strictObject({
  posts: z.array(
    post.omit({ id: true, account: true, posted_at: true }).extend({
      id,
      account: z.string().nullable(),
      collected_at: time,
      /** Missing on the page: the posting time, or the account. */
      why: z.enum(['time', 'account']),
    }),
  ),
})
export type CoordinationLeftOut = z.output<typeof coordinationOmitted>

const params = z.strictObject({ id })

export const coordinationApi = {
  createRun: endpoint('user', 'POST /coordination/runs', {
    scopes: ['contribute'],
    summary: `Find accounts that share the same content within a time window; ${LIMITS.coordinationRunsAtOnce} runs at once, kept for 30 days`,
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
    summary: 'Delete a run and its results',
    params,
    response: z.strictObject({ id }),
  }),
  getNetwork: endpoint('user', 'GET /coordination/runs/:id/graph', {
    scopes: ['read'],
    summary:
      'The accounts that share the same content, and their edges, the heaviest first; empty until the run is done',
    params,
    query: z.strictObject({ limit: limitParam(LIMITS.coordinationEdges).optional() }),
    response: coordinationNetwork,
  }),
  getLeftOut: endpoint('user', 'GET /coordination/runs/:id/left-out', {
    scopes: ['read'],
    summary: `The caller’s own posts without a time or an account, which the run omitted; at most ${LIMITS.coordinationOmitted}`,
    params,
    response: coordinationOmitted,
  }),
  getShares: endpoint('user', 'GET /coordination/runs/:id/shares', {
    scopes: ['read'],
    summary: 'The evidence of an edge: both posts of its pairs, and both times',
    params,
    query: z.strictObject({ a: account, b: account }),
    response: coordinationEvidence,
  }),
} as const
