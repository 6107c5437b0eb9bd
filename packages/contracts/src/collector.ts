import { z } from 'zod'
import { endpoint } from './endpoint.js'
import { sha256 } from './evidence.js'
import { LIMITS } from './limits.js'
import { id, pageQuery, text, timestamp } from './primitives.js'
import { SHARED_AS, SOURCES, type Source } from './vocabulary.js'

const field = text().nullish()
const count = z.int().min(0, 'must be 0 or more').nullish()
const texts = z.array(text()).max(1_000).nullish()
const collectorMetadata = z.strictObject({
  fetch_timestamp: timestamp,
  source: text(),
})

/** Context of a post on its page, in fields common to all sources. */
export const recordContext = z.strictObject({
  posted_at: timestamp.nullish(),
  /** The page marks the post as edited. */
  edited: z.boolean().nullish(),
  text: text(LIMITS.contextTextMax).nullish(),
  forwarded_from: z.strictObject({ name: field, url: field }).nullish(),
  links: z.array(text()).max(LIMITS.contextLinksMax).nullish(),
  media: z
    .array(
      z.strictObject({
        url: field,
        sha256: sha256.nullish(),
        /** Perceptual hash of the picture: a blockhash of 256 bits. */
        phash: z
          .string()
          .regex(/^[0-9a-f]{64}$/, 'must be 64 hexadecimal digits')
          .nullish(),
      }),
    )
    .max(LIMITS.contextMediaMax)
    .nullish(),
  /** Canonical URL that an article's page states, if the record has another one. */
  stated_canonical: field,
  /** When the collector found that the post was removed: the first and the latest time. */
  removed: z.strictObject({ first_seen: timestamp, last_seen: timestamp }).nullish(),
})
export type RecordContext = z.output<typeof recordContext>

export const tiktokRecord = z.strictObject({
  collector_metadata: collectorMetadata,
  main: z.strictObject({
    video_id: text().min(1, 'must not be empty'),
    description: field,
    hashtags: texts,
    create_time: count,
  }),
  author: z
    .strictObject({
      author_id: field,
      author_unique_id: field,
      author_nickname: field,
      author_description: field,
      author_following_count: count,
      author_follower_count: count,
      author_heart_count: count,
      author_video_count: count,
    })
    .optional(),
  stats: z
    .strictObject({
      play_count: count,
      digg_count: count,
      comment_count: count,
      share_count: count,
      collect_count: count,
      repost_count: count,
    })
    .optional(),
  sound: z.strictObject({ sound_id: field, sound_name: field, sound_author: field }).optional(),
  classification: z
    .strictObject({ location_created: field, diversification_labels: texts, suggested_words: texts })
    .optional(),
  context: recordContext.optional(),
})

export const telegramRecord = z.strictObject({
  collector_metadata: collectorMetadata,
  telegram: z.strictObject({
    channel: z.strictObject({ username: field, title: field, platform: field }).optional(),
    post: z.strictObject({
      id: field,
      author: field,
      description: field,
      url: text().min(1, 'must not be empty'),
    }),
    attachments: z
      .array(z.strictObject({ type: z.enum(['image', 'document']), url: field, sha256: field }))
      .max(1_000)
      .nullish(),
  }),
  context: recordContext.optional(),
})

const blogMetadata = z.strictObject({
  title: field,
  description: field,
  canonical: field,
  generator: field,
  og_title: field,
  og_description: field,
  og_url: field,
  og_image: field,
  og_site_name: field,
  twitter_title: field,
  twitter_description: field,
  twitter_url: field,
  twitter_image: field,
  twitter_site: field,
  article_published_time: field,
  article_modified_time: field,
  jsonld: z
    .strictObject({
      author: z.strictObject({ name: field, url: field }).nullish(),
      publisher: z
        .strictObject({ name: field, url: field, logo: z.strictObject({ url: field }).nullish() })
        .nullish(),
      keywords: texts,
    })
    .nullish(),
})

/** The count is checked before the entries are validated, which is slow for many. */
const imageHashes = z
  .unknown()
  .refine(
    value =>
      typeof value !== 'object' || value === null || Object.keys(value).length <= LIMITS.imageHashesMax,
    { error: `must hold at most ${LIMITS.imageHashesMax} images`, abort: true },
  )
  .pipe(z.record(text(), text()))

export const blogRecord = z.strictObject({
  collector_metadata: collectorMetadata,
  metadata: blogMetadata.refine(
    data => Boolean(data.canonical || data.og_url),
    'canonical or og_url is required',
  ),
  imageHashes: imageHashes.optional(),
  context: recordContext.optional(),
})

/** Schemas of collected records, by source. */
export const RECORD_SCHEMAS = { tiktok: tiktokRecord, telegram: telegramRecord, blog: blogRecord } as const
export type TiktokRecord = z.output<typeof tiktokRecord>
export type TelegramRecord = z.output<typeof telegramRecord>
export type BlogRecord = z.output<typeof blogRecord>
export interface RecordOf {
  tiktok: TiktokRecord
  telegram: TelegramRecord
  blog: BlogRecord
}
/** A record as the API returns it. */
export type Stored<S extends Source = Source> = RecordOf[S] & { id: string }

export const ingestResult = z.union([
  z.strictObject({ id, status: z.enum(['created', 'updated', 'unchanged']) }),
  z.strictObject({ error: z.union([z.string(), z.array(z.string())]) }),
])
export type IngestResult = z.output<typeof ingestResult>
/** Error of a removal notice for a post without a stored record. */
export const NEVER_COLLECTED = 'This post was removed before you collected it'

const source = z.enum(SOURCES)
const stored = z.union([
  tiktokRecord.extend({ id }),
  telegramRecord.extend({ id }),
  blogRecord.extend({ id }),
])

export const collectorApi = {
  listRecords: endpoint('user', 'GET /:source/data', {
    scopes: ['read'],
    summary: "The caller's records of one source, newest first; with q those with a text that contains it",
    params: z.strictObject({ source }),
    query: z.strictObject({
      q: text(LIMITS.searchMax).optional(),
      /** Only records that an import of the caller created or changed. */
      import_id: id.optional(),
      ...pageQuery,
    }),
    response: z.array(stored),
  }),
  ingestRecords: endpoint('collector', 'POST /:source/data', {
    scopes: ['collect'],
    summary: 'Store 1 to 500 records; returns a result per record, in order',
    params: z.strictObject({ source }),
    // Records are validated one by one, so that an invalid one does not fail the others.
    body: z.strictObject({
      records: z
        .array(z.unknown())
        .min(1, 'must hold 1 to 500 records')
        .max(LIMITS.ingestRecordsMax, 'must hold 1 to 500 records'),
      /** Import that the records belong to. Their `collector_metadata.source` begins with `import:`. */
      import_id: id.optional(),
      /** Number of the import's records before this batch: a batch that is repeated counts once. Default: all so far. */
      offset: z.int().min(0).optional(),
    }),
    response: z.strictObject({ results: z.array(ingestResult) }),
    bodyLimit: LIMITS.ingestBodyBytes,
    checksBody: true,
  }),
  knownRecords: endpoint('user', 'POST /:source/data/known', {
    scopes: ['read', 'collect'],
    summary: 'Whether the caller has a record of each natural key, in order',
    params: z.strictObject({ source }),
    body: z.strictObject({
      keys: z
        .array(z.string().max(LIMITS.naturalKeyMax))
        .min(1, 'must hold 1 to 500 keys')
        .max(LIMITS.ingestRecordsMax, 'must hold 1 to 500 keys'),
    }),
    bodyLimit: LIMITS.ingestBodyBytes,
    response: z.array(z.boolean()),
  }),
  deleteRecord: endpoint('user', 'DELETE /:source/data/:id', {
    summary: 'Delete one of the caller’s records',
    params: z.strictObject({ source, id }),
    response: z.strictObject({ id }),
  }),
  shareRecords: endpoint('user', 'POST /:source/data/share', {
    scopes: ['contribute'],
    summary:
      'Share some of the caller’s records in Origins, by username or anonymously, or stop sharing them. 404 without a change if one of them is not the caller’s',
    params: z.strictObject({ source }),
    body: z
      .strictObject({
        ids: z
          .array(id)
          .min(1, 'must hold 1 to 500 ids')
          .max(LIMITS.ingestRecordsMax, 'must hold 1 to 500 ids'),
        shared: z.boolean(),
        as: z.enum(SHARED_AS).optional(),
      })
      .refine(({ shared, as }) => !shared || as !== undefined, 'as: must be username or anonymous'),
    response: z.strictObject({ ids: z.array(id), shared: z.enum(SHARED_AS).nullable() }),
  }),
  listShared: endpoint('user', 'GET /:source/data/shared', {
    scopes: ['read'],
    summary: 'The caller’s shared records of one source',
    params: z.strictObject({ source }),
    response: z.array(z.strictObject({ id, shared: z.enum(SHARED_AS) })),
  }),
} as const
