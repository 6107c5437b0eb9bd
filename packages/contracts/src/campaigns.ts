import { z } from 'zod'
import { dayFilters, flag } from './analytics-filters.js'
import { endpoint, internalEndpoint } from './endpoint.js'
import { iod, iodCounts } from './iods.js'
import { LIMITS, TECHNIQUE_PATTERN } from './limits.js'
import { filledText, id, limitParam, pageQuery, text, time } from './primitives.js'
import { techniqueEndpoints, techniquesInternal } from './techniques.js'
import { EXPORT_FORMATS, EXPORT_PROFILES, FEED_STATES, TLP_LEVELS } from './vocabulary.js'

export const campaign = z.strictObject({
  id,
  name: z.string(),
  description: z.string(),
  /** Null once the creator's account is deleted. */
  created_by_id: id.nullable(),
  created_by_username: z.string().nullable(),
  created_at: time,
  iod_count: z.int(),
  /** Comments on the campaign itself; absent without any. */
  comment_count: z.int().optional(),
})
export type Campaign = z.output<typeof campaign>

export const campaignDetail = campaign.extend({ iods: z.array(iod) })
export type CampaignDetail = z.output<typeof campaignDetail>

/** Totals of a campaign's IODs. */
export const campaignStatistics = iodCounts.extend({
  iod_count: z.int(),
  votes: z.int(),
  comments: z.int(),
})
export type CampaignStatistics = z.output<typeof campaignStatistics>

/** Sharing level and publication of a campaign. */
export const campaignSharing = z.strictObject({
  tlp: z.enum(TLP_LEVELS),
  /** Strictest level of the imported objects: the campaign's level is never below it. */
  least: z.enum(TLP_LEVELS),
  /** Whether its creator publishes it. */
  published: z.boolean(),
  /** State of its feed; null before the first publication, and long after a withdrawal. */
  feed: z
    .strictObject({
      /** Id of its collection in TAXII. */
      collection: z.uuid(),
      /** `due`: changes are pending. */
      state: z.enum(FEED_STATES),
      /** Published objects, and revoked ones. */
      objects: z.int(),
      revoked: z.int(),
      /** Time of its last complete update. */
      at: time.nullable(),
      /** Reason why it is not up to date; null if it is. */
      problem: z.string().nullable(),
    })
    .nullable(),
})
export type CampaignSharing = z.output<typeof campaignSharing>

const params = z.strictObject({ id })
const membership = z.strictObject({ iod_id: id })
const memberships = z.strictObject({ iod_ids: z.array(id).min(1).max(LIMITS.addedIodsMax) })

export const campaignsApi = {
  listCampaigns: endpoint('user', 'GET /campaigns', {
    scopes: ['read'],
    summary:
      'Campaigns, newest first: all, those with an IOD (`iod_id`), with a DISARM technique (`technique`), those whose name contains a text in any case (`q`), those created from one day to another (`from`, `to`, of `zone`)',
    query: z.strictObject({
      iod_id: id.optional(),
      technique: z.string().regex(TECHNIQUE_PATTERN).optional(),
      q: text(LIMITS.searchMax).optional(),
      /** Days of creation. */
      ...dayFilters,
      /** Only the caller's. */
      mine: flag.optional(),
      ...pageQuery,
    }),
    response: z.array(campaign),
  }),
  getOverlay: endpoint('collector', 'GET /campaigns/overlay', {
    scopes: ['read', 'collect'],
    summary:
      'Campaigns with the ids of their IODs, in the format of `@iodine/known-iods`, up to 30 s old. Empty campaigns are omitted, names are truncated to 200 characters; above 500,000 ids in total, the largest campaigns are omitted',
    response: z.unknown(),
    produces: 'application/octet-stream',
    conditional: true,
  }),
  listMyCampaigns: endpoint('user', 'GET /campaigns/my', {
    scopes: ['read'],
    summary: "The caller's campaigns, newest first",
    query: z.strictObject(pageQuery),
    response: z.array(campaign),
  }),
  getCampaign: endpoint('user', 'GET /campaigns/:id', {
    scopes: ['read'],
    summary: 'A campaign with its IODs, or with its first `limit` ones',
    params,
    query: z.strictObject({ limit: limitParam(LIMITS.listLimitMax).optional() }),
    response: campaignDetail,
  }),
  getStatistics: endpoint('user', 'GET /campaigns/:id/statistics', {
    scopes: ['read'],
    summary:
      'Numbers of a campaign’s IODs by category and source type, of their votes and comments; 503 while its IODs can’t be read',
    params,
    response: campaignStatistics,
  }),
  exportCampaign: endpoint('user', 'GET /campaigns/:id/export', {
    scopes: ['read'],
    summary:
      'A campaign as a file: JSON, a STIX 2.1 bundle, a MISP event or CSV, optionally with the IODs’ evidence except for CSV, or its techniques as a layer of DISARM’s Navigator; 503 while its IODs or their evidence can’t be read. `profile=opencti` (STIX) omits objects that OpenCTI’s client rejects. `X-Withheld`: number of omitted objects',
    params,
    query: z
      .strictObject({
        format: z.enum(EXPORT_FORMATS).default('json'),
        evidence: z.enum(['true', 'false']).default('false'),
        profile: z.enum(EXPORT_PROFILES).default('lossless'),
      })
      .refine(({ format, evidence }) => format !== 'csv' || evidence === 'false', {
        path: ['evidence'],
        error: 'is not available in CSV',
      })
      .refine(({ format, evidence }) => format !== 'navigator' || evidence === 'false', {
        path: ['evidence'],
        error: 'is not available in a layer of the Navigator',
      })
      .refine(({ format, profile }) => format === 'stix' || profile === 'lossless', {
        path: ['profile'],
        error: 'is available only in STIX',
      }),
    response: z.unknown(),
  }),
  getSharing: endpoint('user', 'GET /campaigns/:id/sharing', {
    scopes: ['read'],
    summary:
      'The level of the Traffic Light Protocol that a campaign’s exports carry, and whether it is published',
    params,
    response: campaignSharing,
  }),
  updateSharing: endpoint('user', 'PATCH /campaigns/:id/sharing', {
    scopes: ['contribute'],
    summary:
      'Set that level, publish the campaign in feeds, or withdraw it (its creator); 409 below the strictest imported level, or for a published campaign with TLP:RED',
    params,
    body: z.strictObject({ tlp: z.enum(TLP_LEVELS).optional(), published: z.boolean().optional() }),
    response: campaignSharing,
  }),
  createCampaign: endpoint('user', 'POST /campaigns', {
    scopes: ['contribute'],
    summary: 'Create a campaign',
    body: z.strictObject({ name: filledText(), description: text().nullish() }),
    response: campaign,
    status: 201,
  }),
  updateCampaign: endpoint('user', 'PATCH /campaigns/:id', {
    scopes: ['contribute'],
    summary: 'Rename or describe a campaign (its creator)',
    params,
    body: z.strictObject({ name: filledText().optional(), description: text().nullish() }),
    response: campaign,
  }),
  deleteCampaign: endpoint('user', 'DELETE /campaigns/:id', {
    summary: 'Delete a campaign (its creator)',
    params,
    response: z.strictObject({ id }),
  }),
  addIod: endpoint('user', 'POST /campaigns/:id/add-iod', {
    scopes: ['contribute'],
    summary: 'Add an IOD to a campaign; returns the campaign without its IODs, as in lists',
    params,
    body: membership,
    response: campaign,
  }),
  addIods: endpoint('user', 'POST /campaigns/:id/add-iods', {
    scopes: ['contribute'],
    summary:
      'Add many IODs to a campaign in one step; returns the ids of added, already present and unknown ones',
    params,
    body: memberships,
    response: z.strictObject({ added: z.array(id), already: z.array(id), unknown: z.array(id) }),
  }),
  removeIod: endpoint('user', 'POST /campaigns/:id/remove-iod', {
    scopes: ['contribute'],
    summary: 'Remove an IOD from a campaign',
    params,
    body: membership,
    response: campaignDetail,
  }),
  ...techniqueEndpoints,
} as const

export const campaignsInternal = {
  getMembers: internalEndpoint('POST /internal/campaigns/members', {
    summary: 'The ids of the IODs that all of these campaigns have; 404 if one is unknown',
    body: z.strictObject({ ids: z.array(id).min(1).max(2) }),
    response: z.array(id),
  }),
  ...techniquesInternal,
  nameCampaigns: internalEndpoint('POST /internal/campaigns/names', {
    summary: 'Names of campaigns; unknown ones are omitted',
    body: z.strictObject({ ids: z.array(id).max(LIMITS.listLimitMax) }),
    response: z.array(z.strictObject({ id, name: z.string() })),
  }),
} as const
