import { type DraftRecord, recordOfAddress } from '../../records/of-draft.js'
import { RefusedError } from '../../refused.js'
import { addressOf } from '../../text/addresses.js'
import { absoluteUrl } from '../../text/html.js'
import { timeOf } from '../../text/times.js'
import type { Reason, Warning } from '../../types.js'
import { isAddressSource } from '../address-source.js'
import { draftOfEntry, type Feed, type FeedEntry } from './entry.js'
import { parsedFeed } from './parse.js'

/** Characters of a feed, which is read as a whole. */
const FEED_MAX = 64 * 2 ** 20

export type FeedItem =
  | (DraftRecord & { at: number; warnings?: Warning[] })
  | { skipped: Reason; line: number }

const entryRecord = (
  entry: FeedEntry,
  feed: Feed,
  at: number,
  origin: { fetched: string; by: string },
): FeedItem => {
  const base = entry.base ?? feed.url
  const own = entry.addresses.map(address => absoluteUrl(address, base)).find(url => url !== undefined)
  if (own === undefined) return { skipped: 'no-address', line: at }
  const address = addressOf(own)
  if (!isAddressSource(address)) return { skipped: address.skipped, line: at }
  const [published_at, edited_at] = [timeOf(entry.published), timeOf(entry.updated)]
  const isUnread = (entry.published && !published_at) || (entry.updated && !edited_at)
  const draft = draftOfEntry(entry, feed, base ?? own)
  const edited = edited_at === published_at ? undefined : edited_at
  const record = recordOfAddress(address, { ...draft, published_at, edited_at: edited }, origin)
  return { ...record, at, ...(isUnread && { warnings: ['unreadable-time'] }) }
}

/**
 * Reads a feed.
 * @throws RefusedError above 67,108,864 characters, for declared entities, and for an invalid feed
 */
export async function* readFeed(
  texts: AsyncIterable<string>,
  answers: { file_time: string },
): AsyncGenerator<FeedItem, void, undefined> {
  let text = ''
  for await (const part of texts) {
    text += part
    if (text.length > FEED_MAX) throw new RefusedError('The feed is larger than 64 MiB')
  }
  const feed = parsedFeed(text)
  const origin = { fetched: answers.file_time, by: feed.format }
  for (const [at, entry] of feed.entries.entries()) yield entryRecord(entry, feed, at + 1, origin)
}

/** Returns the encoding that the declaration of an XML document states (XML 1.0, section 4.3.3). */
export const declaredEncoding = (head: Uint8Array): string | undefined => {
  const ascii = new TextDecoder('latin1').decode(head.subarray(0, 200))
  return /^\s*<\?xml[^>]*\sencoding\s*=\s*["']([\w.:-]+)["']/i.exec(ascii)?.[1]?.toLowerCase()
}
