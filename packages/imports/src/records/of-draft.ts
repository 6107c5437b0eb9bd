import { isHttpUrl, POST_PLACES } from '@iodine/contracts'
import { type Address, isShortAddress, telegramUrl } from '../text/addresses.js'
import { hashtagsIn, linksIn } from '../text/found.js'
import { absoluteUrl } from '../text/html.js'
import { secondsOf } from '../text/times.js'
import type { Draft } from './draft.js'

/** When and by what an item was collected. */
export interface Origin {
  /** ISO 8601 in UTC. */
  fetched: string
  /** Name of the tool or format, without `import:`. */
  by: string
}

export interface DraftRecord {
  source: 'tiktok' | 'telegram' | 'blog' | 'post'
  record: Record<string, unknown>
  /** Values that the kind of record has no field for. */
  also?: Record<string, unknown>
}

type Values = Record<string, unknown>

/** Removes fields without a value: undefined, null, empty texts, lists and objects. Keeps 0 and false. */
export const filled = (values: Values): Values => {
  const kept: Values = {}
  for (const name of Object.keys(values)) {
    const value = values[name]
    if (value === undefined || value === null || value === '') continue
    if (Array.isArray(value) && value.length === 0) continue
    const isObject = typeof value === 'object' && !Array.isArray(value)
    const inner = isObject ? filled(value as Values) : value
    if (!isObject || Object.keys(inner as Values).length > 0) kept[name] = inner
  }
  return kept
}

/** Returns a record with the fields that have a value. Its values are not limited yet. */
export const recordOf = (
  source: DraftRecord['source'],
  { fetched, by }: Origin,
  values: Values,
  other: Values = {},
): DraftRecord => {
  const also = filled(other)
  return {
    source,
    record: { collector_metadata: { fetch_timestamp: fetched, source: `import:${by}` }, ...filled(values) },
    ...(Object.keys(also).length > 0 && { also }),
  }
}

/** Returns the kind of place that a post stands in, or undefined for an unknown one. */
const placeOf = (written: string | undefined): (typeof POST_PLACES)[number] | undefined =>
  POST_PLACES.find(place => place === written?.toLowerCase())

const unique = <T>(values: readonly T[] | undefined): T[] => [...new Set(values)]

const findLanguage = (written: string): string | undefined => {
  if (/^(?:und|zxx|un|q[a-z]{2}|art)$/i.test(written)) return undefined
  const tag = written.replace('_', '-')
  try {
    return Intl.getCanonicalLocales(tag).length === 1 ? tag : undefined
  } catch {
    return undefined
  }
}

/** Known languages of a file: few, unless their texts are none. */
const LANGUAGES_MAX = 1_000
const languages = new Map<string, string | undefined>()
/** Returns a BCP 47 tag, or undefined for the tags by which platforms say that there is no language. */
export const languageOf = (written: string | undefined): string | undefined => {
  if (!written) return undefined
  if (languages.has(written)) return languages.get(written)
  const language = findLanguage(written)
  if (languages.size < LANGUAGES_MAX) languages.set(written, language)
  return language
}

const isWebLink = (link: string): boolean => isHttpUrl(link) || absoluteUrl(link) !== undefined

const webLinks = (links: readonly string[] | undefined): string[] => unique(links?.filter(isWebLink))

const mediaOf = (draft: Draft) =>
  (draft.media ?? [])
    .map(({ type, url, alt }) => ({ type, url: url !== undefined && isWebLink(url) ? url : undefined, alt }))
    .filter(({ url, alt }) => url ?? alt)
    .map(filled)

/** Returns the hashtags that the file lists, else those in the text. */
const tagsOf = ({ hashtags, text = '' }: Draft): string[] =>
  unique(hashtags?.length ? hashtags.map(tag => tag.replace(/^[#＃]/, '')) : hashtagsIn(text))

/** Returns a record `post`. Hashtags and links are read from the text if the file has no list of them. */
export const postRecord = (draft: Draft, origin: Origin): DraftRecord => {
  const { author, within, relations, metrics, location } = draft
  const links = webLinks(draft.links ?? linksIn(draft.text ?? '').filter(link => !isShortAddress(link)))
  return recordOf('post', origin, {
    post: {
      platform: draft.platform,
      id: draft.id,
      type: draft.type ?? 'post',
      url: draft.url,
      title: draft.title,
      text: draft.text,
      language: languageOf(draft.language),
      published_at: draft.published_at,
      edited_at: draft.edited_at,
    },
    author,
    within: within && { ...within, type: placeOf(within.type) },
    relations,
    hashtags: tagsOf(draft),
    mentions: unique(draft.mentions?.map(mention => mention.replace(/^@/, ''))),
    links,
    media: mediaOf(draft),
    metrics,
    location,
  })
}

const tiktokRecord = (draft: Draft, origin: Origin): DraftRecord => {
  const { author = {}, metrics = {} } = draft
  return recordOf('tiktok', origin, {
    main: {
      video_id: draft.id,
      description: draft.text,
      hashtags: tagsOf(draft),
      create_time: secondsOf(draft.published_at),
    },
    author: {
      author_id: author.id,
      author_unique_id: author.handle,
      author_nickname: author.name,
      author_description: author.description,
      author_following_count: author.following,
      author_follower_count: author.followers,
      author_video_count: author.posts,
    },
    stats: {
      play_count: metrics.views,
      digg_count: metrics.likes,
      comment_count: metrics.comments,
      share_count: metrics.shares,
      collect_count: metrics.saves,
    },
  })
}

const telegramRecord = (draft: Draft, origin: Origin): DraftRecord => {
  const values = {
    telegram: {
      channel: { username: draft.author?.handle, title: draft.within?.name, platform: 'telegram' },
      post: { id: draft.id, author: draft.author?.name, description: draft.text, url: draft.url },
      attachments: draft.media?.map(({ type }) => ({ type: type === 'image' ? 'image' : 'document' })),
    },
    context: {
      posted_at: draft.published_at,
      edited: draft.edited_at === undefined ? undefined : true,
      forwarded_from: {
        name: draft.relations?.repost_of?.author,
        url: draft.relations?.repost_of?.url,
      },
      links: webLinks(draft.links ?? linksIn(draft.text ?? '')),
    },
  }
  const also = {
    in_reply_to: draft.relations?.in_reply_to?.url,
    edited_at: draft.edited_at,
    metrics: draft.metrics,
  }
  return recordOf('telegram', origin, values, also)
}

const blogRecord = (draft: Draft, origin: Origin): DraftRecord =>
  recordOf('blog', origin, {
    metadata: {
      title: draft.title,
      description: draft.summary,
      canonical: draft.url,
      article_published_time: draft.published_at,
      article_modified_time: draft.edited_at,
      jsonld: {
        author: { name: draft.author?.name, url: draft.author?.url },
        publisher: draft.publisher,
        keywords: unique(draft.keywords),
      },
    },
    context: {
      posted_at: draft.published_at,
      text: draft.text,
      links: webLinks(draft.links),
      media: mediaOf(draft).map(({ url }) => ({ url })),
    },
  })

/** Returns the record of the kind that an address identifies, with the draft's values. */
export const recordOfAddress = (address: Address, draft: Draft, origin: Origin): DraftRecord => {
  const author = { ...draft.author }
  if (address.source === 'blog') return blogRecord({ ...draft, url: address.url }, origin)
  if (address.source === 'tiktok') {
    author.handle = address.handle ?? author.handle
    return tiktokRecord({ ...draft, author, id: address.id }, origin)
  }
  if (address.source === 'telegram') {
    author.handle = address.username
    return telegramRecord({ ...draft, author, id: address.id, url: address.url }, origin)
  }
  const { platform, id, url } = address
  author.handle ??= address.handle
  const type = address.type === 'post' ? draft.type : address.type
  return postRecord({ ...draft, author, platform, id, url, type }, origin)
}

/** Returns the record of a message in a channel, by the channel's name or number. */
export const messageRecord = (channel: string, id: string, draft: Draft, origin: Origin): DraftRecord => {
  const url = telegramUrl(channel, id)
  const handle = /^-?\d+$/.test(channel) ? undefined : channel.replace(/^@/, '')
  return telegramRecord({ ...draft, id, url, author: { ...draft.author, handle } }, origin)
}
