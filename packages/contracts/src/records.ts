import { isSameSite, pageAddress, siteOf } from './page-address.js'
import type { BlogRecord, PostRecord, RecordOf, TelegramRecord, TiktokRecord } from './record-schemas.js'
import type { Source } from './vocabulary.js'

/** Natural key of a record, unique per user and source; undefined if the record has none. */
export const naturalKey = {
  tiktok: (record: TiktokRecord) => record.main.video_id,
  telegram: (record: TelegramRecord) => record.telegram.post.url,
  blog: (record: BlogRecord) => pageAddress(record.metadata.canonical || record.metadata.og_url || ''),
  post: ({ post }: PostRecord) => `${post.platform}:${post.id}`,
} as const

/**
 * Returns the URL on another site that an article's page names as its original, by its canonical URL or `og:url`; null
 * if it names none. A claim of the page: the article was seen at its natural key.
 */
export const namedOriginal = (record: BlogRecord): string | null => {
  const own = naturalKey.blog(record)
  if (siteOf(own) === null) return null
  const stated = [record.context?.stated_canonical, record.metadata.og_url]
  return stated.find(address => address && siteOf(address) !== null && !isSameSite(address, own)) ?? null
}

/**
 * Returns the first time after the last collection at which a record's post was seen removed; null if it is not known
 * to be removed.
 */
export const removalSeen = ({
  collector_metadata: { fetch_timestamp },
  context,
}: RecordOf[Source]): string | null => {
  if (!context?.removed) return null
  const { first_seen, last_seen } = context.removed
  const isSince = (time: string) => Date.parse(time) > Date.parse(fetch_timestamp)
  return [first_seen, last_seen].find(isSince) ?? null
}
