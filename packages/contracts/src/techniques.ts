import { z } from 'zod'
import { endpoint, internalEndpoint } from './endpoint.js'
import { LIMITS, TECHNIQUE_PATTERN } from './limits.js'
import { filledText, id, time } from './primitives.js'
import {
  EXTRACTION_FAILURES,
  PROPOSAL_MODES,
  PROPOSAL_STATES,
  QUOTE_SOURCES,
  SUCCESSION_BASES,
} from './vocabulary.js'

const tid = z.string().regex(TECHNIQUE_PATTERN)
const params = z.strictObject({ id })
const technique = params.extend({ tid })
const tids = z.array(tid).max(LIMITS.techniquesMax)

/** A technique of DISARM that a campaign uses. */
export const campaignTechnique = z.strictObject({
  /** DISARM's id, such as `T0023.001`. */
  id: z.string(),
  /** User who added it; null once the account is deleted. */
  by: id.nullable(),
  by_username: z.string().nullable(),
  at: time,
  /** Last release that contains it; null for a current one. */
  until: z.string().nullable(),
  /** Quotes that it rests on, and the IODs whose evidence they are. */
  quotes: z.int(),
  iods: z.int(),
})
export type CampaignTechnique = z.output<typeof campaignTechnique>

/** Words that a technique of a campaign rests on. */
export const techniqueQuote = z.strictObject({
  id,
  tid: z.string(),
  /** The narrative or evidence; null for a pasted text. */
  source: z.strictObject({ kind: z.enum(QUOTE_SOURCES), id: id.nullable() }),
  /** The IOD of the evidence; else null. */
  iod_id: id.nullable(),
  /** UTF-16 offsets into the text. */
  start: z.int(),
  end: z.int(),
  exact: z.string(),
  prefix: z.string(),
  suffix: z.string(),
  url: z.string().nullable(),
  by: id.nullable(),
  by_username: z.string().nullable(),
  at: time,
})
export type TechniqueQuote = z.output<typeof techniqueQuote>

/** The list of DISARM's techniques, of all releases. */
export const disarmList = z.strictObject({
  version: z.string(),
  date: z.string(),
  /** In the order of the matrix. */
  tactics: z.array(z.strictObject({ id: z.string(), name: z.string(), phase: z.string(), rank: z.int() })),
  techniques: z.array(
    z.strictObject({
      id: z.string(),
      name: z.string(),
      /** Id of its tactic. */
      tactic: z.string(),
      since: z.string(),
      /** Last release that contains it; null for a current one. */
      until: z.string().nullable(),
      /** Current techniques that together replace an obsolete one; null without any. */
      successors: z.strictObject({ ids: z.array(z.string()), basis: z.enum(SUCCESSION_BASES) }).nullable(),
    }),
  ),
})
export type DisarmList = z.output<typeof disarmList>

/** Techniques that a text may describe, each with a sentence, for a person to accept or reject. */
export const techniqueProposals = z.strictObject({
  id,
  state: z.enum(PROPOSAL_STATES),
  mode: z.enum(PROPOSAL_MODES),
  /** Model of the AI provider; null for proposals by rules, and before the end. */
  model: z.string().nullable(),
  /** Version of DISARM's list. */
  list: z.string(),
  /** Reason of a failure; else null. */
  failure: z.enum([...EXTRACTION_FAILURES, 'gone', 'unavailable']).nullable(),
  items: z.array(
    z.strictObject({
      tid: z.string(),
      exact: z.string(),
      start: z.int(),
      end: z.int(),
      /** Null until a person decides. */
      decision: z.enum(['accepted', 'rejected']).nullable(),
    }),
  ),
  /** Answers of the model that could not be used. */
  dropped: z.int(),
  /** Sentences that were read, and those above the limit. */
  sentences: z.int(),
  omitted: z.int(),
})
export type TechniqueProposals = z.output<typeof techniqueProposals>

const proposal = params.extend({ pid: id })

/** Techniques of campaigns; part of `campaignsApi`. */
export const techniqueEndpoints = {
  getDisarm: endpoint('user', 'GET /campaigns/disarm', {
    scopes: ['read'],
    summary: 'DISARM’s tactics, and its techniques of all releases',
    response: disarmList,
    conditional: true,
  }),
  countTechniques: endpoint('user', 'GET /campaigns/techniques', {
    scopes: ['read'],
    summary: 'Techniques that campaigns use, with numbers of campaigns, IODs and quotes',
    response: z.array(z.strictObject({ id: z.string(), campaigns: z.int(), iods: z.int(), quotes: z.int() })),
  }),
  listTechniques: endpoint('user', 'GET /campaigns/:id/techniques', {
    scopes: ['read'],
    summary: 'Techniques of DISARM that a campaign uses, in the order of their addition',
    params,
    response: z.array(campaignTechnique),
  }),
  addTechnique: endpoint('user', 'PUT /campaigns/:id/techniques/:tid', {
    scopes: ['contribute'],
    summary:
      'Add a DISARM technique to a campaign; returns all its techniques. Idempotent. 413 with 100 techniques, 422 for an unknown or obsolete id',
    params: technique,
    response: z.array(campaignTechnique),
  }),
  removeTechnique: endpoint('user', 'DELETE /campaigns/:id/techniques/:tid', {
    scopes: ['contribute'],
    summary:
      'Remove a DISARM technique from a campaign; returns the remaining ones. Idempotent. Its quotes return with it',
    params: technique,
    response: z.array(campaignTechnique),
  }),
  replaceTechnique: endpoint('user', 'POST /campaigns/:id/techniques/:tid/replace', {
    scopes: ['contribute'],
    summary:
      'Replace an obsolete technique by successors, which receive its quotes; returns all techniques. 404 if the campaign does not use it, 409 if it is not obsolete, 413 with 100 techniques, 422 for another technique than a successor',
    params: technique,
    body: z.strictObject({ with: z.array(tid).min(1).max(LIMITS.successorsMax) }),
    response: z.array(campaignTechnique),
  }),
  listQuotes: endpoint('user', 'GET /campaigns/:id/techniques/:tid/quotes', {
    scopes: ['read'],
    summary: 'Quotes that a technique of a campaign rests on, oldest first',
    params: technique,
    response: z.array(techniqueQuote),
  }),
  deleteQuote: endpoint('user', 'DELETE /campaigns/:id/techniques/:tid/quotes/:qid', {
    summary: 'Delete a quote of a technique that the caller added, or of an own campaign',
    params: technique.extend({ qid: id }),
    response: z.strictObject({ id }),
  }),
  propose: endpoint('user', 'POST /campaigns/:id/proposals', {
    scopes: ['contribute'],
    summary:
      'Propose techniques for an own narrative, a text, or the evidence of the campaign’s IODs: by rules, or by the caller’s AI provider. 400 without an AI key, 404 for another user’s narrative, 422 above 50,000 characters or without a sentence, 429 above 20 runs an hour or during another run',
    params,
    body: z
      .strictObject({
        narrative_id: id.optional(),
        text: filledText(LIMITS.narrativeTextMax).optional(),
        evidence: z.literal(true).optional(),
        mode: z.enum(PROPOSAL_MODES).default('offline'),
      })
      .refine(
        ({ narrative_id, text, evidence }) =>
          [narrative_id, text, evidence].filter(each => each !== undefined).length === 1,
        'must name exactly one of narrative_id, text and evidence',
      ),
    response: z.strictObject({ id }),
    status: 202,
  }),
  getProposals: endpoint('user', 'GET /campaigns/:id/proposals/:pid', {
    scopes: ['read'],
    summary:
      'Proposed techniques; only for the user who requested them, for seven days, of the latest 50 runs',
    params: proposal,
    response: techniqueProposals,
  }),
  decideProposals: endpoint('user', 'POST /campaigns/:id/proposals/:pid/decisions', {
    scopes: ['contribute'],
    summary:
      'Accept proposals, which adds the techniques with their quotes, and reject others, which are not proposed again for this text. Returns the campaign’s techniques. Idempotent. 409 while the run is not done, if the list of DISARM has changed, or if the text was deleted; 413 at a limit; 422 for a technique that was not proposed',
    params: proposal,
    body: z
      .strictObject({ accept: tids.default([]), reject: tids.default([]) })
      .refine(({ accept, reject }) => !accept.some(each => reject.includes(each)), {
        path: ['reject'],
        error: 'must not contain accepted techniques',
      }),
    response: z.array(campaignTechnique),
  }),
} as const

/** A technique that the AI provider names for a sentence. */
const namedTechnique = z.strictObject({ tid, sentence: z.int().min(0).max(LIMITS.proposalSentences) })

export const techniquesInternal = {
  redactQuotes: internalEndpoint('POST /internal/campaigns/quotes/redact', {
    summary: 'Delete quotes of techniques by their id, or the id of their evidence, capture or narrative',
    body: z.strictObject({ id }),
    response: z.strictObject({ deleted: z.int() }),
  }),
  getProposalWork: internalEndpoint('GET /internal/campaigns/proposals/:pid/work', {
    summary: 'Input of the techniques worker; 404 once the proposals are deleted or complete',
    params: z.strictObject({ pid: id }),
    response: z.strictObject({ user_id: id, sentences: z.array(z.string()) }),
  }),
  finishProposals: internalEndpoint('POST /internal/campaigns/proposals/:pid/result', {
    summary: 'Store the named techniques or the failure, once; idempotent',
    params: z.strictObject({ pid: id }),
    body: z.union([
      z.strictObject({
        model: z.string().max(200),
        items: z.array(namedTechnique).max(LIMITS.proposalsMax),
        dropped: z.int().min(0),
      }),
      z.strictObject({ failure: z.enum(EXTRACTION_FAILURES) }),
    ]),
    response: z.strictObject({ state: z.enum(PROPOSAL_STATES) }),
  }),
} as const
