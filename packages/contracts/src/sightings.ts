import { z } from 'zod'
import { endpoint, internalEndpoint } from './endpoint.js'
import { LIMITS } from './limits.js'
import {
  cursorParam,
  done,
  filledText,
  id,
  periodEnd,
  periodStart,
  text,
  time,
  timestamp,
} from './primitives.js'
import { SHARED_AS, SOURCES } from './vocabulary.js'

const source = z.enum(SOURCES)

/**
 * How a sighting matches: its text is the same (`exact`), contains all that is searched for word for word (`quoted`), is a
 * part of it word for word (`part`), is nearly the same (`near`) or says it in other words (`reworded`), one of these; it
 * has the link, or a picture alike; it is the post itself; it was forwarded from it.
 */
export const MATCHES = [
  'exact',
  'quoted',
  'part',
  'near',
  'reworded',
  'link',
  'media',
  'post',
  'forward',
] as const
export type Match = (typeof MATCHES)[number]

/** A post that somebody collected. */
export const sighting = z.strictObject({
  /** Opaque; of the caller's own sightings the record's id. */
  id,
  own: z.boolean(),
  source,
  /** Who posted it, as the source names accounts; null where the page does not say it. */
  account: z.string().nullable(),
  url: z.string().nullable(),
  matches: z.array(z.enum(MATCHES)),
  /** Share of content words that both texts have, 0 to 1; null where something else matches. */
  likeness: z.number().nullable(),
  /**
   * What it is ordered by: `posted_at` if that is claimed for the text that was seen, else when that was fetched, which is an
   * upper bound: it may be earlier than others that are listed before it.
   */
  at: time,
  /** Whether `at` is the page's claim; else it is an upper bound. */
  posted_claimed: z.boolean(),
  /** As the page says; null where it does not. */
  posted_at: time.nullable(),
  /** First collected then. Of an anonymous sharing the end of that day. */
  fetched_at: time,
  /** The page says so, or its text was another one when it was collected before. */
  edited: z.boolean(),
  forwarded_from: z.strictObject({ name: z.string().nullable(), url: z.string().nullable() }).nullable(),
  /** When it was seen removed, as it was not collected since; absent where that is not known. */
  removed_at: time.optional(),
  /** Address of another site that an article's page names as its original: a claim of the page. */
  names: z.string().optional(),
  /** Beginning of its text; null while the collector is down. */
  excerpt: z.string().nullable(),
  shared: z.enum(SHARED_AS).nullable(),
  /** Who shares it; null for own ones and anonymous ones. */
  shared_by: z.string().nullable(),
})
export type Sighting = z.output<typeof sighting>

/**
 * From the earlier to the later one. `forward` and `link` are what the later one says; `copy` says that the earlier one was
 * seen before, with the same text or a picture alike: by a claim, or at the latest, before what the later one claims.
 */
export const sightingEdge = z.strictObject({
  from: id,
  to: id,
  how: z.enum(['forward', 'link', 'copy']),
  /** Seconds between both; null where either has an upper bound alone. */
  delta_s: z.number().nullable(),
})
export type SightingEdge = z.output<typeof sightingEdge>

/** What is searched for: one of the five. */
const QUESTIONS = ['value', 'text', 'url', 'media', 'record_id'] as const

export const sightingSearch = z
  .strictObject({
    /** An IOD's value: a text, an address or the hash of a picture. */
    value: filledText().optional(),
    text: filledText(LIMITS.contextTextMax).optional(),
    url: filledText().optional(),
    /** 64 hexadecimal digits: a SHA-256, or a hash of the picture's looks. */
    media: z
      .string()
      .regex(/^[0-9a-f]{64}$/i, 'must be 64 hexadecimal digits')
      .optional(),
    /** One of the caller's own records. */
    record_id: id.optional(),
    /** `shared`: with the caller's own those that others share. */
    scope: z.enum(['own', 'shared']).default('own'),
    since: periodStart.optional(),
    until: periodEnd.optional(),
    limit: z.int().min(1).max(LIMITS.sightingsPage).default(LIMITS.sightingsPage),
    cursor: cursorParam.optional(),
  })
  .refine(
    body => QUESTIONS.filter(name => body[name] !== undefined).length === 1,
    `must have one of ${QUESTIONS.join(', ')}`,
  )
export type SightingSearch = z.output<typeof sightingSearch>

export const sightingResults = z.strictObject({
  /** The earliest first. */
  items: z.array(sighting),
  /** Earliest known here by `at`, of all that match; `counts.may_be_earlier` others may be earlier. */
  first: sighting.nullable(),
  /** The one that was collected first. */
  first_seen: sighting.nullable(),
  /** Each account's first, the earliest first. */
  firsts: z.array(
    z.strictObject({
      source,
      account: z.string().nullable(),
      id,
      at: time,
      posted_claimed: z.boolean(),
      /** Its sightings that match. */
      count: z.int(),
    }),
  ),
  /** Among the items, and from `first`. */
  edges: z.array(sightingEdge),
  /** Of all that match. */
  counts: z.strictObject({
    items: z.int(),
    accounts: z.int(),
    /** Those whose page says no time. */
    without_time: z.int(),
    /** Those that may be earlier than `first`: their times are upper bounds. */
    may_be_earlier: z.int(),
    by_match: z.record(z.enum(MATCHES), z.int()),
    /** There were more candidates than a search looks at. */
    truncated: z.boolean(),
  }),
  /** Cursor of the next page; null on the last. */
  next: z.string().nullable(),
})
export type SightingResults = z.output<typeof sightingResults>

/** How many others have collected something too. */
export const BUCKETS = ['3–5', '6–10', '11–20', '21+'] as const
export type Bucket = (typeof BUCKETS)[number]

export const countingSettings = z.strictObject({
  /** Whether the user counts for others, and may ask for counts. */
  counted: z.boolean(),
})
export type CountingSettings = z.output<typeof countingSettings>

export const sightingCounts = z.strictObject({
  /** Day of the snapshot that this is of, UTC; null before the first. */
  day: z.iso.date().nullable(),
  /** The same post, the same text, the same link: those that at least three others have collected. */
  counts: z.array(
    z.strictObject({
      of: z.enum(['post', 'text', 'link']),
      others: z.enum(BUCKETS),
      /** Month of the earliest, as `2026-11`. */
      first_month: z.string().regex(/^\d{4}-\d\d$/),
    }),
  ),
})
export type SightingCounts = z.output<typeof sightingCounts>

export const sightingsApi = {
  searchSightings: endpoint('user', 'POST /sightings/search', {
    scopes: ['read'],
    summary: 'Where a text, address, picture or record was seen, the earliest first',
    body: sightingSearch,
    response: sightingResults,
  }),
  getCounting: endpoint('user', 'GET /sightings/counting', {
    scopes: ['read'],
    summary: 'Whether the caller counts for others',
    response: countingSettings,
  }),
  setCounting: endpoint('user', 'PUT /sightings/counting', {
    summary: 'Count for others, and be allowed to ask for counts, or stop both; counts follow the next day',
    body: countingSettings,
    response: countingSettings,
  }),
  countSightings: endpoint('user', 'POST /sightings/counts', {
    scopes: ['read'],
    summary:
      'How many others have collected the same, of one of the caller’s own records or of an IOD: in buckets, of at least three, as of a daily snapshot. 403 unless the caller counts, too; 60 an hour',
    body: z
      .strictObject({ record_id: id.optional(), iod_id: id.optional() })
      .refine(
        body => (body.record_id === undefined) !== (body.iod_id === undefined),
        'must have one of record_id, iod_id',
      ),
    response: sightingCounts,
  }),
} as const

/** What a record tells of a post. Its text is not stored. */
export const sightingRecord = z.strictObject({
  id,
  source,
  /** Hash of the record's natural key. */
  key: z.string(),
  account: z.string().nullable(),
  url: z.string().nullable(),
  posted_at: timestamp.nullable(),
  /** Since when its text is as it is, as the page says; null where that is not known, as after an edit. */
  claimed_at: timestamp.nullable(),
  fetched_at: time,
  edited: z.boolean(),
  text: text(LIMITS.contextTextMax),
  forwarded_from: z.strictObject({ name: z.string().nullable(), url: z.string().nullable() }).nullable(),
  links: z.array(z.string()).max(LIMITS.contextLinksMax),
  media: z
    .array(z.strictObject({ sha256: z.string().nullable(), phash: z.string().nullable() }))
    .max(LIMITS.contextMediaMax),
  shared: z.enum(SHARED_AS).nullable(),
  removed_at: timestamp.optional(),
  names: z.string().optional(),
})
export type SightingRecord = z.output<typeof sightingRecord>

/** Served by the sightings service. */
export const sightingsInternal = {
  postedTimes: internalEndpoint('POST /internal/sightings/posted', {
    summary: 'When the posts at some addresses were posted, as a user’s own records say; others are left out',
    body: z.strictObject({ user_id: id, addresses: z.array(z.string()).max(LIMITS.postedAddresses) }),
    response: z.array(z.strictObject({ address: z.string(), posted_at: time })),
  }),
  putSightings: internalEndpoint('POST /internal/sightings', {
    summary: 'Index records of a user, and remove deleted ones; repeating it changes nothing',
    body: z.strictObject({
      user_id: id,
      records: z.array(sightingRecord).max(LIMITS.sightingsBatch),
      removed: z.array(id).max(LIMITS.sightingsRemoved),
    }),
    response: done,
    bodyLimit: LIMITS.ingestBodyBytes,
  }),
} as const

/** Served by the collector, which has the records. */
export const recordsInternal = {
  resightRecords: internalEndpoint('POST /internal/records/resight', {
    summary:
      'Have records told to the sightings service again, some after an id; null begins, and says it is done',
    body: z.strictObject({ after: id.nullable() }),
    response: z.strictObject({ next: id.nullable() }),
  }),
  openRecords: internalEndpoint('POST /internal/records/open', {
    summary: 'Those of the records that a user may see, as owner or because they are shared now',
    body: z.strictObject({
      user_id: id,
      ids: z.array(id).max(2 * LIMITS.sightingCandidates),
      /** How many characters of their texts. */
      excerpt: z.int().min(0).max(LIMITS.excerptChars),
      /** What their texts may quote: some words, or the text of one of the user's own records. */
      quoting: z.union([z.strictObject({ text: z.string() }), z.strictObject({ record_id: id })]).optional(),
    }),
    response: z.array(
      z.strictObject({
        id,
        user_id: id,
        shared: z.enum(SHARED_AS).nullable(),
        excerpt: z.string(),
        /** Whether its text contains all of `quoting`, or is a part of it, word for word. */
        quotes: z.enum(['whole', 'part']).nullable(),
      }),
    ),
  }),
} as const
