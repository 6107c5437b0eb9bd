import { z } from 'zod'
import { sha256 } from './evidence.js'
import { LIMITS } from './limits.js'
import { text, timestamp } from './primitives.js'
import { isHttpUrl, POST_MEDIA, POST_PLACES, POST_TYPES } from './vocabulary.js'

const field = text().nullish()
const count = z.int().min(0, 'must be 0 or more').nullish()
const texts = z.array(text()).max(1_000).nullish()
const collectorMetadata = z.strictObject({
  fetch_timestamp: timestamp,
  source: text(),
})

const httpUrl = text(LIMITS.addressMax).refine(isHttpUrl, 'must be an http(s) URL').meta({ format: 'uri' })
const address = httpUrl.nullish()
/** Perceptual hash of a picture: a blockhash of 256 bits. */
const phash = z
  .string()
  .regex(/^[0-9a-f]{64}$/, 'must be 64 hexadecimal digits')
  .nullish()

/** Object with any keys. Their number is checked before they are validated, which is slow for many. */
const fewKeys = <T extends z.ZodType>(max: number, what: string, schema: T) =>
  z
    .unknown()
    .refine(value => typeof value !== 'object' || value === null || Object.keys(value).length <= max, {
      error: `must hold at most ${max} ${what}`,
      abort: true,
    })
    .pipe(schema)

/** Counts by name, such as `views`, `likes`, `comments` and `shares`. */
const metrics = fewKeys(
  LIMITS.metricsMax,
  'counts',
  z.record(
    z.string().regex(/^[a-z0-9_]{1,40}$/, 'must have names of 1 to 40 of a-z, 0-9 and _'),
    z.int().min(0, 'must be 0 or more'),
  ),
).optional()

const isJson = (value: string): boolean => {
  try {
    JSON.parse(value)
    return true
  } catch {
    return false
  }
}
/** JSON of a platform's other fields, as text: its keys may contain dots and dollar signs. Not searched, not shared. */
const extra = z
  .string()
  .refine(value => new TextEncoder().encode(value).length <= LIMITS.extraBytes, {
    error: `must have at most ${LIMITS.extraBytes} bytes`,
    abort: true,
  })
  .refine(isJson, 'must be JSON')
  .meta({ contentMediaType: 'application/json' })
  .nullish()

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
        phash,
      }),
    )
    .max(LIMITS.contextMediaMax)
    .nullish(),
  /** Canonical URL that an article's page states, if the record has another one. */
  stated_canonical: field,
  /** When the collector found that the post was removed: the first and the latest time. */
  removed: z.strictObject({ first_seen: timestamp, last_seen: timestamp }).nullish(),
  metrics,
  /** URL of the post that it replies to. */
  in_reply_to: address,
  edited_at: timestamp.nullish(),
  /** Spoken words. */
  transcript: text(LIMITS.contextTextMax).nullish(),
  /** Words in its picture or video. */
  screen_text: field,
  extra,
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

const imageHashes = fewKeys(LIMITS.imageHashesMax, 'images', z.record(text(), text()))

export const blogRecord = z.strictObject({
  collector_metadata: collectorMetadata,
  metadata: blogMetadata.refine(
    data => Boolean(data.canonical || data.og_url),
    'canonical or og_url is required',
  ),
  imageHashes: imageHashes.optional(),
  context: recordContext.optional(),
})

const name = text(LIMITS.postNameMax).nullish()
const names = z.array(text(LIMITS.postNameMax)).max(1_000).nullish()
const reference = z.strictObject({ id: name, url: address, author: name }).nullish()

/** Post of another platform than TikTok and Telegram, or a comment of any. */
export const postRecord = z.strictObject({
  collector_metadata: collectorMetadata,
  post: z.strictObject({
    platform: z.string().regex(/^[a-z0-9.-]{1,40}$/, 'must have 1 to 40 of a-z, 0-9, . and -'),
    /** Id of the platform. A repost has its own. */
    id: text(LIMITS.postNameMax).min(1, 'must not be empty'),
    type: z.enum(POST_TYPES),
    url: address,
    title: field,
    text: text(LIMITS.postTextMax).nullish(),
    /** BCP 47. */
    language: z
      .string()
      .regex(/^(?=.{2,35}$)[a-z]{2,8}(-[a-z0-9]{1,8})*$/i, 'must be a BCP 47 language tag')
      .nullish(),
    published_at: timestamp.nullish(),
    edited_at: timestamp.nullish(),
  }),
  author: z
    .strictObject({
      id: name,
      handle: name,
      name,
      url: address,
      description: field,
      followers: count,
      following: count,
      posts: count,
      verified: z.boolean().nullish(),
    })
    .optional(),
  /** What the post stands in. */
  within: z.strictObject({ type: z.enum(POST_PLACES), id: name, name, url: address }).optional(),
  /** Text, media and counts of a repost are those of the original, `repost_of`. */
  relations: z
    .strictObject({ in_reply_to: reference, quote_of: reference, repost_of: reference, thread_id: name })
    .optional(),
  hashtags: names,
  mentions: names,
  links: z.array(httpUrl).max(LIMITS.contextLinksMax).nullish(),
  media: z
    .array(
      z.strictObject({
        type: z.enum(POST_MEDIA),
        url: address,
        sha256: sha256.nullish(),
        phash,
        alt: field,
      }),
    )
    .max(LIMITS.contextMediaMax)
    .nullish(),
  metrics,
  location: z
    .strictObject({
      name,
      country: name,
      latitude: z.number().min(-90).max(90).nullish(),
      longitude: z.number().min(-180).max(180).nullish(),
    })
    .optional(),
  extra,
  context: recordContext.optional(),
})

/** Schemas of collected records, by source. */
export const RECORD_SCHEMAS = {
  tiktok: tiktokRecord,
  telegram: telegramRecord,
  blog: blogRecord,
  post: postRecord,
} as const
export type TiktokRecord = z.output<typeof tiktokRecord>
export type TelegramRecord = z.output<typeof telegramRecord>
export type BlogRecord = z.output<typeof blogRecord>
export type PostRecord = z.output<typeof postRecord>
export interface RecordOf {
  tiktok: TiktokRecord
  telegram: TelegramRecord
  blog: BlogRecord
  post: PostRecord
}
