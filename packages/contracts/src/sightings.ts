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
 * Ways in which a sighting matches a search. At most one of the first five applies: its text is equal (`exact`),
 * contains the searched text (`quoted`), is a part of it (`part`), is nearly equal (`near`) or paraphrases it
 * (`reworded`). The others: it has the link, it has a similar picture (`media`), it is the post itself, it was
 * forwarded from the post.
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

/** A collected post. */
export const sighting = z.strictObject({
  /** Opaque; for the caller's own sightings the record's id. */
  id,
  own: z.boolean(),
  source,
  /** Account that posted it, as the source names it; null if the page does not state it. */
  account: z.string().nullable(),
  url: z.string().nullable(),
  matches: z.array(z.enum(MATCHES)),
  /** Share of content words that both texts have, 0 to 1; null if another criterion matches. */
  likeness: z.number().nullable(),
  /**
   * Sort key: `posted_at` if the page claims it for the text that was seen, else the time of fetching. The latter is an
   * upper bound: the post may be earlier than posts that are listed before it.
   */
  at: time,
  /** Whether `at` is the page's claim; else it is an upper bound. */
  posted_claimed: z.boolean(),
  /** Posting time that the page states; null without one. */
  posted_at: time.nullable(),
  /** Time of the first collection, or of the import; of an anonymously shared record the end of that day. */
  fetched_at: time,
  /** Whether it is known from an import only: the file states its text, times and hashes. */
  imported: z.literal(true).optional(),
  /** The page marks it as edited, or its text differed at an earlier collection. */
  edited: z.boolean(),
  forwarded_from: z.strictObject({ name: z.string().nullable(), url: z.string().nullable() }).nullable(),
  /** When it was seen removed, if it was not collected since; absent if not known. */
  removed_at: time.optional(),
  /** URL on another site that an article's page names as its original: a claim of the page. */
  names: z.string().optional(),
  /** Beginning of its text; null while the collector is down. */
  excerpt: z.string().nullable(),
  shared: z.enum(SHARED_AS).nullable(),
  /** User who shares it; null for own and anonymous sightings. */
  shared_by: z.string().nullable(),
})
export type Sighting = z.output<typeof sighting>

/**
 * Edge from the earlier to the later sighting. `forward` and `link` are claims of the later one. `copy`: both have the
 * same text or similar pictures. The claimed or latest time of the earlier one precedes the claimed time of the later
 * one.
 */
export const sightingEdge = z.strictObject({
  from: id,
  to: id,
  how: z.enum(['forward', 'link', 'copy']),
  /** Seconds between both; null if either has only an upper bound. */
  delta_s: z.number().nullable(),
})
export type SightingEdge = z.output<typeof sightingEdge>

/** Search criteria, of which a search has exactly one. */
const CRITERIA = ['value', 'text', 'url', 'media', 'record_id'] as const

export const sightingSearch = z
  .strictObject({
    /** Value of an IOD: a text, a URL or the hash of a picture. */
    value: filledText().optional(),
    text: filledText(LIMITS.contextTextMax).optional(),
    url: filledText().optional(),
    /** 64 hexadecimal digits: a SHA-256, or a perceptual hash. */
    media: z
      .string()
      .regex(/^[0-9a-f]{64}$/i, 'must be 64 hexadecimal digits')
      .optional(),
    /** One of the caller's own records. */
    record_id: id.optional(),
    /** `shared`: the caller's own records, and those that others share. */
    scope: z.enum(['own', 'shared']).default('own'),
    since: periodStart.optional(),
    until: periodEnd.optional(),
    limit: z.int().min(1).max(LIMITS.sightingsPage).default(LIMITS.sightingsPage),
    cursor: cursorParam.optional(),
  })
  .refine(
    body => CRITERIA.filter(name => body[name] !== undefined).length === 1,
    `must have one of ${CRITERIA.join(', ')}`,
  )
export type SightingSearch = z.output<typeof sightingSearch>

export const sightingResults = z.strictObject({
  /** The earliest first. */
  items: z.array(sighting),
  /** Earliest match by `at`; `counts.may_be_earlier` others may be earlier. */
  first: sighting.nullable(),
  /** The match that was collected first. */
  first_seen: sighting.nullable(),
  /** Each account's first match, the earliest first. */
  firsts: z.array(
    z.strictObject({
      source,
      account: z.string().nullable(),
      id,
      at: time,
      posted_claimed: z.boolean(),
      imported: z.literal(true).optional(),
      /** Number of its matches. */
      count: z.int(),
    }),
  ),
  /** Edges among the items, and from `first`. */
  edges: z.array(sightingEdge),
  /** Counts of all matches. */
  counts: z.strictObject({
    items: z.int(),
    accounts: z.int(),
    /** Matches whose page states no time. */
    without_time: z.int(),
    /** Matches that may be earlier than `first`: their times are upper bounds. */
    may_be_earlier: z.int(),
    by_match: z.record(z.enum(MATCHES), z.int()),
    /** There were more candidates than a search compares. */
    truncated: z.boolean(),
  }),
  /** Cursor of the next page; null on the last. */
  next: z.string().nullable(),
})
export type SightingResults = z.output<typeof sightingResults>

/** Ranges of the number of other users who collected the same. */
export const BUCKETS = ['3–5', '6–10', '11–20', '21+'] as const
export type Bucket = (typeof BUCKETS)[number]

export const countingSettings = z.strictObject({
  /** Whether the user counts for others, and may request counts. */
  counted: z.boolean(),
})
export type CountingSettings = z.output<typeof countingSettings>

export const sightingCounts = z.strictObject({
  /** UTC day of the snapshot; null before the first. */
  day: z.iso.date().nullable(),
  /** Counts of the same post, text or link, if at least three others have collected it. */
  counts: z.array(
    z.strictObject({
      of: z.enum(['post', 'text', 'link']),
      others: z.enum(BUCKETS),
      /** Month of the earliest collection, as `2026-11`. */
      first_month: z.string().regex(/^\d{4}-\d\d$/),
    }),
  ),
})
export type SightingCounts = z.output<typeof sightingCounts>

export const sightingsApi = {
  searchSightings: endpoint('user', 'POST /sightings/search', {
    scopes: ['read'],
    summary: 'Posts that contain a text, URL, image or record, earliest first',
    body: sightingSearch,
    response: sightingResults,
  }),
  getCounting: endpoint('user', 'GET /sightings/counting', {
    scopes: ['read'],
    summary: 'Whether the caller takes part in anonymous counts',
    response: countingSettings,
  }),
  setCounting: endpoint('user', 'PUT /sightings/counting', {
    summary:
      'Take part in anonymous counts, which queries of counts require, or stop; counts change the next day',
    body: countingSettings,
    response: countingSettings,
  }),
  countSightings: endpoint('user', 'POST /sightings/counts', {
    scopes: ['read'],
    summary:
      'Numbers of other users who collected the same as one of the caller’s records, or an IOD: in buckets of at least three, from a daily snapshot. 403 unless the caller takes part in anonymous counts; 60 an hour',
    body: z
      .strictObject({ record_id: id.optional(), iod_id: id.optional() })
      .refine(
        body => (body.record_id === undefined) !== (body.iod_id === undefined),
        'must have one of record_id, iod_id',
      ),
    response: sightingCounts,
  }),
} as const

/** Fields of a record that the sightings service indexes. It does not store the text. */
export const sightingRecord = z.strictObject({
  id,
  source,
  /** Hash of the record's natural key. */
  key: z.string(),
  account: z.string().nullable(),
  url: z.string().nullable(),
  posted_at: timestamp.nullable(),
  /** Time since which the text is unchanged, as the page claims; null if unknown, as after an edit. */
  claimed_at: timestamp.nullable(),
  fetched_at: time,
  /** When it was imported, if the collector has not seen it: `fetched_at` is then a claim. */
  imported_at: time.optional(),
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
    summary: 'Times of the posts at some URLs, from a user’s own records; others are omitted',
    body: z.strictObject({ user_id: id, addresses: z.array(z.string()).max(LIMITS.postedAddresses) }),
    response: z.array(z.strictObject({ address: z.string(), posted_at: time })),
  }),
  putSightings: internalEndpoint('POST /internal/sightings', {
    summary: 'Index records of a user, and remove deleted ones; idempotent',
    body: z.strictObject({
      user_id: id,
      records: z.array(sightingRecord).max(LIMITS.sightingsBatch),
      removed: z.array(id).max(LIMITS.sightingsRemoved),
    }),
    response: done,
    bodyLimit: LIMITS.ingestBodyBytes,
  }),
} as const

/** Served by the collector, which stores the records. */
export const recordsInternal = {
  redeliverRecords: internalEndpoint('POST /internal/records/resight', {
    summary:
      'Send records to the sightings service again, some after an id; null starts, and a returned null ends it',
    body: z.strictObject({ after: id.nullable() }),
    response: z.strictObject({ next: id.nullable() }),
  }),
  openRecords: internalEndpoint('POST /internal/records/open', {
    summary: 'The records that a user may see, as owner or because they are shared',
    body: z.strictObject({
      user_id: id,
      ids: z.array(id).max(2 * LIMITS.sightingCandidates),
      /** Maximum characters of an excerpt. */
      excerpt: z.int().min(0).max(LIMITS.excerptChars),
      /** Text that the records are compared with: some words, or the text of one of the user's own records. */
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
