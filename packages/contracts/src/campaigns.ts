import { z } from 'zod'
import { endpoint } from './endpoint.js'
import { iod, iodCounts } from './iods.js'
import { LIMITS, TECHNIQUE_PATTERN } from './limits.js'
import { filledText, id, limitParam, pageQuery, text, time } from './primitives.js'
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
})
export type Campaign = z.output<typeof campaign>

export const campaignDetail = campaign.extend({ iods: z.array(iod) })
export type CampaignDetail = z.output<typeof campaignDetail>

/** What a campaign's IODs add up to. */
export const campaignStatistics = iodCounts.extend({
  iod_count: z.int(),
  votes: z.int(),
  comments: z.int(),
})
export type CampaignStatistics = z.output<typeof campaignStatistics>

/** How far a campaign may be passed on. */
export const campaignSharing = z.strictObject({
  tlp: z.enum(TLP_LEVELS),
  /** The strictest level of what was imported: the campaign's is never below. */
  least: z.enum(TLP_LEVELS),
  /** Whether its creator publishes it. */
  published: z.boolean(),
  /** What its feed holds; null until it was published, and once it was withdrawn for long. */
  feed: z
    .strictObject({
      /** Id of its collection in TAXII. */
      collection: z.uuid(),
      /** `due`: something is still to be written or withdrawn. */
      state: z.enum(FEED_STATES),
      /** Objects that are published, and those that are revoked. */
      objects: z.int(),
      revoked: z.int(),
      /** When it was last brought in line with the campaign. */
      at: time.nullable(),
      /** Why it is not. */
      problem: z.string().nullable(),
    })
    .nullable(),
})
export type CampaignSharing = z.output<typeof campaignSharing>

/** A technique of DISARM that a campaign uses. */
export const campaignTechnique = z.strictObject({
  /** DISARM's id, such as `T0023.001`. */
  id: z.string(),
  /** Who added it; null once their account is deleted. */
  by: id.nullable(),
  by_username: z.string().nullable(),
  at: time,
})
export type CampaignTechnique = z.output<typeof campaignTechnique>

const params = z.strictObject({ id })
const technique = params.extend({
  tid: z.string().regex(TECHNIQUE_PATTERN),
})
const membership = z.strictObject({ iod_id: id })
const memberships = z.strictObject({ iod_ids: z.array(id).min(1).max(LIMITS.addedIodsMax) })

export const campaignsApi = {
  listCampaigns: endpoint('user', 'GET /campaigns', {
    scopes: ['read'],
    summary:
      'Campaigns, newest first: all, those with an IOD (`iod_id`), those whose name contains a text in any case (`q`)',
    query: z.strictObject({ iod_id: id.optional(), q: text(LIMITS.searchMax).optional(), ...pageQuery }),
    response: z.array(campaign),
  }),
  getOverlay: endpoint('collector', 'GET /campaigns/overlay', {
    scopes: ['read', 'collect'],
    summary:
      'Campaigns with the ids of their IODs, in the format of `@iodine/known-iods`, up to 30 s old. Empty ones are left out, names are cut off after 200 characters; of more than 500,000 ids in all, the largest campaigns are left out',
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
      'A campaign as a file: JSON, a STIX 2.1 bundle, a MISP event or CSV, but for CSV with the IODs’ evidence if wanted; 503 while its IODs or their evidence can’t be read. `profile=opencti`, of STIX, leaves out what OpenCTI’s client refuses. `X-Withheld`: number of objects that are left out',
    params,
    query: z
      .strictObject({
        format: z.enum(EXPORT_FORMATS).default('json'),
        evidence: z.enum(['true', 'false']).default('false'),
        profile: z.enum(EXPORT_PROFILES).default('lossless'),
      })
      .refine(({ format, evidence }) => format !== 'csv' || evidence === 'false', {
        path: ['evidence'],
        error: 'has no place in CSV',
      })
      .refine(({ format, profile }) => format === 'stix' || profile === 'lossless', {
        path: ['profile'],
        error: 'is of STIX alone',
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
      'Set that level, publish the campaign in feeds, or withdraw it (its creator); 409 below the strictest level that was imported, or for a published one that is red',
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
    summary: 'Put an IOD into a campaign; answers the campaign without its IODs, as lists have it',
    params,
    body: membership,
    response: campaign,
  }),
  addIods: endpoint('user', 'POST /campaigns/:id/add-iods', {
    scopes: ['contribute'],
    summary: 'Put many IODs into a campaign in one step; answers which were added, in it already, or unknown',
    params,
    body: memberships,
    response: z.strictObject({ added: z.array(id), already: z.array(id), unknown: z.array(id) }),
  }),
  removeIod: endpoint('user', 'POST /campaigns/:id/remove-iod', {
    scopes: ['contribute'],
    summary: 'Take an IOD out of a campaign',
    params,
    body: membership,
    response: campaignDetail,
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
      'Say that a campaign uses a technique of DISARM; answers all of the campaign’s techniques. May be repeated. 413 if it has 100, 422 for an id that the list of DISARM’s techniques doesn’t have',
    params: technique,
    response: z.array(campaignTechnique),
  }),
  removeTechnique: endpoint('user', 'DELETE /campaigns/:id/techniques/:tid', {
    scopes: ['contribute'],
    summary: 'Take a technique of DISARM from a campaign; answers those that are left. May be repeated',
    params: technique,
    response: z.array(campaignTechnique),
  }),
} as const
