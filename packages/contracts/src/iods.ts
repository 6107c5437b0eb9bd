import { z } from 'zod'
import { dayFilters } from './analytics-filters.js'
import { endpoint } from './endpoint.js'
import { LIMITS } from './limits.js'
import {
  filledText,
  id,
  limitParam,
  pageQuery,
  repeatable,
  revisionParam,
  sourceReference,
  text,
  time,
} from './primitives.js'
import {
  AGREEMENTS,
  CATEGORIES,
  IOD_SORTS,
  SOURCE_TYPES,
  THIRD_VOTES,
  TLP_LEVELS,
  VOTE_TYPES,
} from './vocabulary.js'

const category = z.enum(CATEGORIES)
const sourceType = z.enum(SOURCE_TYPES)

/** Author's id: null once the account is deleted. */
const author = id.nullable()

export const vote = z.strictObject({
  id,
  user_id: author,
  username: z.string().nullable(),
  vote_type: z.enum(VOTE_TYPES),
  created_at: time,
})
export type Vote = z.output<typeof vote>

export const comment = z.strictObject({
  id,
  content: z.string(),
  user_id: author,
  username: z.string().nullable(),
  created_at: time,
})
export type Comment = z.output<typeof comment>

export const iod = z.strictObject({
  id,
  value: z.string(),
  category,
  description: z.string(),
  source_type: sourceType,
  source: z.string().nullable(),
  source_id: z.int().nullable(),
  created_by: z.string().nullable(),
  created_by_id: author,
  created_by_username: z.string().nullable(),
  created_at: time,
  votes: z.array(vote),
  comments: z.array(comment),
})
export type Iod = z.output<typeof iod>

export const newIod = z
  .strictObject({
    value: filledText(),
    category,
    description: text(),
    source_type: sourceType,
    source: sourceReference.nullish(),
    source_id: z.int().nullish(),
  })
  .refine(data => data.source_id == null || data.source_type === 'NARRATIVES', {
    path: ['source_id'],
    error: 'requires the source type NARRATIVES',
  })
export type NewIod = z.input<typeof newIod>

/** Filters of the list of IODs. */
export const iodFilters = {
  q: text().optional(),
  category: repeatable(category),
  source_type: repeatable(sourceType),
  created_by: repeatable(text(100), LIMITS.creatorsMax),
  source: text().optional(),
}

/** Filters of the list of IODs that analyses link to. */
const analyzedFilters = {
  ...dayFilters,
  /** All of these campaigns. */
  campaign: repeatable(id, 2),
  /** Values of `GET /analytics/values`. */
  domain: text().optional(),
  hashtag: text().optional(),
  account: text().optional(),
  agreement: z.enum(AGREEMENTS).optional(),
  third_vote: z.enum(THIRD_VOTES).optional(),
}

const counts = (key: z.ZodType<string>) => z.partialRecord(key as z.ZodString, z.int())
/** Numbers of IODs by category and by source type; zeros are omitted. */
export const iodCounts = z.strictObject({ categories: counts(category), source_types: counts(sourceType) })
export type IodCounts = z.output<typeof iodCounts>

export const iodFacets = iodCounts.extend({
  total: z.int(),
  /** The numbers are lower bounds. */
  exact: z.literal(false).optional(),
})
export type IodFacets = z.output<typeof iodFacets>

/** Numbers of IODs created on a day. */
export const iodDay = z.strictObject({
  /** UTC day. */
  day: z.iso.date(),
  all: z.int(),
  /** The caller's. */
  own: z.int(),
})
export type IodDay = z.output<typeof iodDay>

/** Weighted votes of an IOD: users who vote together count less. */
export const consensus = z.strictObject({
  /** Numbers of independent voters, from 0 to the number of votes of the side. */
  for: z.number(),
  against: z.number(),
  /** Wilson's lower bound of the share of positive votes, 0 to 1. */
  confidence: z.number(),
  /** Explanation of the numbers, one sentence without names of users. */
  reason: z.string(),
})
export type Consensus = z.output<typeof consensus>

export const iodsApi = {
  listIods: endpoint('user', 'GET /iods', {
    scopes: ['read'],
    summary:
      'IODs, filtered and sorted, newest first by default. `q` is searched in the value and the first 2,000 characters of the description, `source` is compared exactly. ' +
      '`from` and `to` are days of `zone`. More than 1,000 matches are not counted: `X-Total-Count: 1000` with `X-Total-Relation: gte`',
    query: z.strictObject({
      ...iodFilters,
      ...analyzedFilters,
      sort: z.enum(IOD_SORTS).optional(),
      ...pageQuery,
    }),
    response: z.array(iod),
  }),
  getIodFacets: endpoint('user', 'GET /iods/facets', {
    scopes: ['read'],
    summary:
      'Counts a category and a source type under the same filters; above 1,000 matches, lower bounds with `exact: false`',
    query: z.strictObject({ ...iodFilters, ...analyzedFilters }),
    response: iodFacets,
  }),
  getOverlay: endpoint('collector', 'GET /iods/overlay', {
    scopes: ['read', 'collect'],
    summary:
      'Search keys of all IODs, with numbers of votes, in the format of `@iodine/known-iods`. `since`: the revision of an earlier response; then the IODs that changed since, and a few earlier ones, or all',
    query: z.strictObject({ since: revisionParam.default(0) }),
    response: z.unknown(),
    produces: 'application/octet-stream',
    conditional: true,
  }),
  countDays: endpoint('user', 'GET /iods/days', {
    scopes: ['read'],
    summary:
      'Numbers of IODs created on each of the last days (UTC), all and the caller’s, oldest first; days without any are included',
    query: z.strictObject({ days: limitParam(LIMITS.countedDaysMax).default(LIMITS.countedDays) }),
    response: z.array(iodDay),
  }),
  getIod: endpoint('user', 'GET /iods/:id', {
    scopes: ['read'],
    summary: 'An IOD, as in lists',
    params: z.strictObject({ id }),
    response: iod,
  }),
  createIod: endpoint('collector', 'POST /iods', {
    scopes: ['collect', 'contribute'],
    summary: 'Create an IOD',
    body: newIod,
    response: iod,
    status: 201,
  }),
  lookupIods: endpoint('collector', 'POST /iods/lookup', {
    scopes: ['read', 'collect'],
    summary: 'The IODs whose value is one of those given (trimmed, case-folded, NFC)',
    body: z.strictObject({
      values: z
        .array(text())
        .max(LIMITS.lookupValuesMax, `must hold at most ${LIMITS.lookupValuesMax} values`),
    }),
    response: z.array(iod),
  }),
  weighVotes: endpoint('user', 'POST /iods/consensus', {
    scopes: ['read'],
    summary:
      'The consensus on IODs, in which accounts that vote together count less. Unknown IODs are omitted, and all IODs until past votes are processed for the first time; votes of the last seconds count as independent',
    body: z.strictObject({ ids: z.array(id).max(LIMITS.consensusMax) }),
    response: z.record(id, consensus),
  }),
  getLevels: endpoint('user', 'POST /iods/levels', {
    scopes: ['read'],
    summary: 'The TLP levels of IODs that imports have marked; others are omitted',
    body: z.strictObject({ ids: z.array(id).max(LIMITS.levelsMax) }),
    response: z.record(id, z.enum(TLP_LEVELS)),
  }),
  voteIod: endpoint('user', 'POST /iods/:id/vote', {
    scopes: ['contribute'],
    summary: 'Vote once on an IOD',
    params: z.strictObject({ id }),
    body: z.strictObject({ vote_type: z.enum(VOTE_TYPES) }),
    response: iod,
  }),
} as const
