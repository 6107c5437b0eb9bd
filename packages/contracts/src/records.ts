import { isSameSite, pageAddress, siteOf } from './page-address.js'
import type { BlogRecord, PostRecord, RecordOf, TelegramRecord, TiktokRecord } from './record-schemas.js'
import { telegramAddress } from './telegram-address.js'
import type { Source } from './vocabulary.js'

/** Natural key of a record, unique per user and source; undefined if the record has none. */
export const naturalKey = {
  tiktok: (record: TiktokRecord) => record.main.video_id,
  telegram: (record: TelegramRecord) => telegramAddress(record.telegram.post.url),
  blog: (record: BlogRecord) => pageAddress(record.metadata.canonical || record.metadata.og_url || ''),
  post: ({ post }: PostRecord) => `${post.platform}:${post.id}`,
} as const

/** Returns the name of an account of another platform in Origins and co-shares, such as `night_desk (x)`. */
export const accountOn = (account: string, platform: string): string => `${account} (${platform})`

/** Returns an account's name as its records contain it. */
export const nameInRecords = ({ source, account }: { source: Source; account: string }): string =>
  source === 'post' ? account.replace(/ \([a-z0-9.-]+\)$/, '') : account

/** URL of a record's post or article, as its record states it; none if it states none. */
export const statedUrl = {
  tiktok: () => null,
  telegram: ({ telegram }: TelegramRecord) => telegram.post.url,
  blog: naturalKey.blog,
  post: ({ post }: PostRecord) => post.url,
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
