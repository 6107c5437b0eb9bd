import { z } from 'zod'
import { day, flag, zone } from './analytics-filters.js'
import { countDaysBetween } from './days.js'
import { endpoint } from './endpoint.js'
import { LIMITS } from './limits.js'
import { id, repeatable, time } from './primitives.js'
import {
  AGREEMENTS,
  CATEGORIES,
  NOVELTIES,
  POST_AGES,
  REACHES,
  SOURCE_TYPES,
  SOURCES,
  THIRD_VOTES,
  VALUE_KINDS,
} from './vocabulary.js'

const category = z.enum(CATEGORIES)
const sourceType = z.enum(SOURCE_TYPES)
const source = z.enum(SOURCES)

/** Days of a period, both included, the zone that they belong to, and whether to count the period before it too. */
const periodFields = {
  from: day,
  to: day,
  zone: zone.default('UTC'),
  compare: flag.default(false),
}
interface PeriodFields {
  from: string
  to: string
}
/** Defines the query of an analysis. */
const period = <T extends z.ZodRawShape>(fields: T) =>
  z
    .strictObject({ ...periodFields, ...fields })
    .refine(query => (query as PeriodFields).from <= (query as PeriodFields).to, {
      path: ['to'],
      error: 'must not be before from',
    })
    .refine(query => daysOf(query as PeriodFields) <= LIMITS.analyzedDaysMax, {
      path: ['to'],
      error: `must be at most ${LIMITS.analyzedDaysMax} days after from`,
    })
const daysOf = ({ from, to }: PeriodFields) => countDaysBetween(from, to)

const counts = (key: z.ZodType<string>) => z.partialRecord(key as z.ZodString, z.int())
/** The same number of the period before; null without `compare`. */
const previous = z.int().nullable()

const iodQuery = {
  category: repeatable(category),
  source: repeatable(sourceType),
  campaign: id.optional(),
  mine: flag.default(false),
}

/** IODs created in a period. */
export const iodAnalysis = z.strictObject({
  total: z.int(),
  previous,
  /** Every day of the period, oldest first; zeros are omitted from the counts of kinds. */
  days: z.array(
    z.strictObject({
      day: z.string(),
      total: z.int(),
      categories: counts(category),
      sources: counts(sourceType),
    }),
  ),
  /** Totals of the days before, in the same order; null without `compare`. */
  days_before: z.array(z.int()).nullable(),
})
export type IodAnalysis = z.output<typeof iodAnalysis>

/** Most frequent values of a kind. */
export const valueAnalysis = z.array(
  z.strictObject({
    kind: z.enum(VALUE_KINDS),
    /** Number of different values in the period. */
    distinct: z.int(),
    /** Most IODs first. */
    values: z
      .array(z.strictObject({ value: z.string(), n: z.int(), previous }))
      .max(LIMITS.analyzedValuesMax),
  }),
)
export type ValueAnalysis = z.output<typeof valueAnalysis>

/** Votes on the IODs created in a period. */
export const voteAnalysis = z.strictObject({
  total: z.int(),
  previous,
  /** Number of IODs by agreement; all are included. */
  agreements: z.array(z.strictObject({ agreement: z.enum(AGREEMENTS), n: z.int(), previous })),
  /** Number of IODs by the time from their creation to their third vote; all are included. */
  third_votes: z.array(z.strictObject({ third_vote: z.enum(THIRD_VOTES), n: z.int(), previous })),
  /** Share of the votes that are of their IOD's majority, of IODs with three votes or more; null without any. */
  majority: z.number().nullable(),
  majority_before: z.number().nullable(),
  /** Most votes of the smaller side first. */
  disputed: z
    .array(
      z.strictObject({
        id,
        value: z.string(),
        category,
        positive: z.int(),
        negative: z.int(),
        /** Numbers of independent voters: accounts that vote together count less; null while they are not weighed. */
        independent: z.strictObject({ for: z.number(), against: z.number() }).nullable(),
      }),
    )
    .max(LIMITS.analyzedValuesMax),
})
export type VoteAnalysis = z.output<typeof voteAnalysis>

/** Number of records, and of those of each source: My data shows one source at a time. */
const mark = { n: z.int(), sources: counts(source) }
const topRecords = z
  .array(z.strictObject({ value: z.string(), ...mark, previous }))
  .max(LIMITS.analyzedValuesMax)

/** Records of the caller that were first collected in a period. */
export const recordAnalysis = z.strictObject({
  total: z.int(),
  previous,
  days: z.array(z.strictObject({ day: z.string(), total: z.int(), sources: counts(source) })),
  days_before: z.array(z.int()).nullable(),
  /** Records by weekday (0: Monday) and hour of their posting in the zone; empty cells are omitted. */
  hours: z.array(z.strictObject({ weekday: z.int().min(0).max(6), hour: z.int().min(0).max(23), ...mark })),
  accounts: topRecords,
  hashtags: topRecords,
  domains: topRecords,
  languages: topRecords,
  /** Age of the posts when they were collected; all are included. */
  ages: z.array(z.strictObject({ age: z.enum(POST_AGES), ...mark })),
  /** Records by whether they contained an IOD when they were collected; all are included. */
  novelties: z.array(z.strictObject({ novelty: z.enum(NOVELTIES), ...mark })),
  /** Plays or views by platform, in classes; never summed across platforms. Records without a count are omitted. */
  reach: z
    .array(
      z.strictObject({
        platform: z.string(),
        source,
        classes: z.array(z.strictObject({ reach: z.enum(REACHES), n: z.int() })),
      }),
    )
    .max(LIMITS.analyzedValuesMax),
})
export type RecordAnalysis = z.output<typeof recordAnalysis>

/** The largest campaigns, by their IODs created in a period. */
export const campaignAnalysis = z.strictObject({
  /** Number of all selected campaigns. `campaigns` has the largest, most IODs in total first. */
  total: z.int(),
  campaigns: z
    .array(
      z.strictObject({
        id,
        name: z.string(),
        /** Its IODs created in the period. */
        iods: z.int(),
        /** Creation of the first and the last of them; null without any. */
        first: time.nullable(),
        last: time.nullable(),
      }),
    )
    .max(LIMITS.analyzedCampaignsMax),
  /** Pairs of these campaigns, by their ids, with common IODs, accounts or domains. */
  overlaps: z.array(
    z.strictObject({
      campaigns: z.tuple([id, id]),
      /** Number of IODs, created in the period, of both. */
      iods: z.int(),
      /** Numbers of different accounts and domains that IODs of both have. */
      accounts: z.int(),
      domains: z.int(),
    }),
  ),
  /** Campaigns created in the period by their DISARM techniques; most first. */
  techniques: z.array(z.strictObject({ technique: z.string(), campaigns: z.int(), previous })),
})
export type CampaignAnalysis = z.output<typeof campaignAnalysis>

/** Canonical narratives of the caller's texts analyzed in a period. */
export const narrativeAnalysis = z.strictObject({
  /** Number of narratives in the period. */
  total: z.int(),
  /** First days of the weeks; the first and the last week may be cut. */
  weeks: z.array(z.string()),
  /** The most significant rise first. */
  narratives: z
    .array(
      z.strictObject({
        id,
        subject: z.string(),
        verb: z.string(),
        object: z.string(),
        /** Sentences that express it, in the period and in the period before. */
        sentences: z.int(),
        before: z.int(),
        /** Sentences by week. */
        by_week: z.array(z.int()),
        /**
         * Ratio of the sentences of both periods, with one half added to each, and its 95 % interval; `low` above 1: a
         * significant rise.
         */
        change: z.strictObject({ ratio: z.number(), low: z.number(), high: z.number() }),
      }),
    )
    .max(LIMITS.analyzedValuesMax),
})
export type NarrativeAnalysis = z.output<typeof narrativeAnalysis>

const scopes = ['read'] as const

/** Endpoints of the iods service. */
export const iodAnalyticsApi = {
  analyzeIods: endpoint('user', 'GET /analytics/iods', {
    scopes,
    summary:
      'IODs created on each day of a period, by category and source type: all or the caller’s, or those of a campaign. At most 400 days; 404 for an unknown campaign',
    query: period(iodQuery),
    response: iodAnalysis,
  }),
  analyzeValues: endpoint('user', 'GET /analytics/values', {
    scopes,
    summary:
      'The domains, hashtags and accounts with the most IODs created in a period. Domains are those below a public suffix',
    query: period(iodQuery),
    response: valueAnalysis,
  }),
  analyzeVotes: endpoint('user', 'GET /analytics/votes', {
    scopes,
    summary: 'Agreement of the votes on the IODs created in a period, and the time to their third vote',
    query: period(iodQuery),
    response: voteAnalysis,
  }),
} as const

/** Endpoint of the collector. */
export const recordAnalyticsApi = {
  analyzeRecords: endpoint('user', 'GET /analytics/records', {
    scopes,
    summary:
      'The caller’s records collected in a period: by day, by hour of posting, by account, hashtag, domain and language, by age and reach',
    query: period({ source: repeatable(source) }),
    response: recordAnalysis,
  }),
} as const

/** Endpoint of the campaigns service. */
export const campaignAnalyticsApi = {
  analyzeCampaigns: endpoint('user', 'GET /analytics/campaigns', {
    scopes,
    summary:
      'The largest campaigns, or those chosen: their IODs created in a period, and what two have in common in it; and the techniques of all campaigns created in it. 404 for an unknown campaign',
    query: period({ campaign: repeatable(id, LIMITS.analyzedCampaignsMax), mine: flag.default(false) }),
    response: campaignAnalysis,
  }),
} as const

/** Endpoint of the narratives service. */
export const narrativeAnalyticsApi = {
  analyzeNarratives: endpoint('user', 'GET /analytics/narratives', {
    scopes,
    summary:
      'Canonical narratives of the caller’s texts that were analyzed in a period, by week, compared with the period before',
    query: period({}),
    response: narrativeAnalysis,
  }),
} as const
