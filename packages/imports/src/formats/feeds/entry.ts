import type { Draft } from '../../records/draft.js'
import { htmlContent, htmlText } from '../../text/html.js'

/** A text of a feed, as HTML or plain. */
export interface FeedText {
  value: string
  isHtml: boolean
}

/** An entry of a feed of any format. */
export interface FeedEntry {
  /** URLs of the entry, the best first. */
  addresses: (string | undefined)[]
  /** URL that the entry's URLs are relative to. */
  base?: string
  title?: FeedText
  /** The whole text. */
  content?: FeedText
  summary?: FeedText
  published?: string
  updated?: string
  author?: { name?: string; url?: string; id?: string }
  tags: (string | undefined)[]
  /** URLs of attached pictures. */
  images: (string | undefined)[]
  views?: number
}

/** A feed of any format. */
export interface Feed {
  name?: string
  url?: string
  entries: FeedEntry[]
}

export const asHtml = (value: string | undefined): FeedText | undefined =>
  value === undefined ? undefined : { value, isHtml: true }
export const asPlain = (value: string | undefined): FeedText | undefined =>
  value === undefined ? undefined : { value, isHtml: false }

const plain = (text: FeedText | undefined): string | undefined =>
  text && (text.isHtml ? htmlText(text.value) : text.value.trim())

export const isPresent = <T>(value: T | undefined | null | ''): value is T =>
  value !== undefined && value !== null && value !== ''

/** Returns an entry's draft without its address: URLs in its HTML are resolved against `base`. */
export const draftOfEntry = (entry: FeedEntry, feed: Feed, base: string | undefined): Draft => {
  const body = entry.content ?? entry.summary
  const html = body?.isHtml ? htmlContent(body.value, base) : undefined
  const summary = entry.content ? plain(entry.summary) : undefined
  const images = [...entry.images.filter(isPresent), ...(html?.images ?? [])]
  return {
    title: plain(entry.title),
    text: html?.text ?? body?.value.trim(),
    ...(summary && { summary }),
    author: entry.author ?? {},
    publisher: { name: feed.name?.trim(), url: feed.url },
    keywords: entry.tags.filter(isPresent),
    ...(html && { links: html.links }),
    media: [...new Set(images)].map(url => ({ type: 'image', url })),
    metrics: { views: entry.views },
  }
}
