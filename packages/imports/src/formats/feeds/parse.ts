import { parseUrl } from '@iodine/contracts'
import { parseFeed } from 'feedsmith'
import { RefusedError } from '../../refused.js'
import { asHtml, asPlain, type Feed, type FeedEntry, type FeedText, isPresent } from './entry.js'

type Parsed = ReturnType<typeof parseFeed>
type RssFeed = Extract<Parsed, { format: 'rss' }>['feed']
type RdfFeed = Extract<Parsed, { format: 'rdf' }>['feed']
type AtomFeed = Extract<Parsed, { format: 'atom' }>['feed']
type JsonFeed = Extract<Parsed, { format: 'json' }>['feed']
type RssItem = NonNullable<RssFeed['items']>[number]
type RdfItem = NonNullable<RdfFeed['items']>[number]
type AtomEntry = NonNullable<AtomFeed['entries']>[number]
type JsonItem = NonNullable<JsonFeed['items']>[number]
type Media = NonNullable<RssItem['media']>

/** feedsmith leaves dates as the feed states them. */
const dateText = (date: unknown): string | undefined => (typeof date === 'string' ? date : undefined)

/** An id is the entry's URL only if it is absolute. */
const webId = (id: string | undefined) => (id !== undefined && /^https?:/i.test(id) ? id : undefined)

const isImage = (type: string | undefined) => type?.toLowerCase().startsWith('image/') ?? false

/** Returns the pictures of Media RSS: contents before thumbnails, those of groups last. */
const mediaImages = (media: Media | undefined): (string | undefined)[] => {
  const own = (part: Pick<Media, 'contents' | 'thumbnails'>) => {
    const pictures = part.contents?.filter(({ medium, type }) => medium === 'image' || isImage(type)) ?? []
    return [...pictures, ...(pictures.length > 0 ? [] : (part.thumbnails ?? []))].map(({ url }) => url)
  }
  return media ? [...own(media), ...(media.groups ?? []).flatMap(own)] : []
}

const rssEntry = (item: RssItem): FeedEntry => ({
  addresses: [item.link, item.guid?.isPermaLink === false ? undefined : webId(item.guid?.value)],
  title: asPlain(item.title),
  content: asHtml(item.content?.encoded),
  summary: asHtml(item.description),
  published: dateText(item.pubDate ?? item.dc?.dates?.[0]),
  updated: dateText(item.atom?.updated),
  author: { name: item.dc?.creators?.[0] ?? item.authors?.[0]?.name ?? item.authors?.[0]?.email },
  tags: (item.categories ?? []).map(({ name }) => name),
  images: [
    ...(item.enclosures ?? []).filter(({ type }) => isImage(type)).map(({ url }) => url),
    ...mediaImages(item.media),
  ],
})

const rdfEntry = (item: RdfItem): FeedEntry => ({
  addresses: [item.link, webId(item.rdf?.about)],
  title: asPlain(item.title),
  content: asHtml(item.content?.encoded),
  summary: asHtml(item.description),
  published: dateText(item.dc?.dates?.[0]),
  author: { name: item.dc?.creators?.[0] },
  tags: item.dc?.subjects ?? [],
  images: mediaImages(item.media),
})

/** A text construct of Atom (RFC 4287, section 3.1): HTML by its type alone. */
const atomText = (text: { value?: string; type?: string } | undefined): FeedText | undefined =>
  text?.value === undefined
    ? undefined
    : { value: text.value, isHtml: /^(?:x?html|text\/html)$/i.test(text.type ?? '') }

const atomEntry = (entry: AtomEntry, feed: AtomFeed): FeedEntry => {
  const author = entry.authors?.[0] ?? feed.authors?.[0]
  const links = entry.links ?? []
  const [group] = entry.media?.groups ?? []
  const channel = entry.yt?.channelId
  const pages = links.filter(({ rel = 'alternate' }) => rel === 'alternate')
  return {
    addresses: [...pages.map(({ href }) => href), webId(entry.id)],
    base: entry.xml?.base,
    title: atomText(entry.title),
    content: atomText(entry.content) ?? asPlain(group?.description?.value),
    summary: atomText(entry.summary),
    published: dateText(entry.published ?? entry.updated),
    updated: entry.published === undefined ? undefined : dateText(entry.updated),
    author: {
      name: author?.name,
      url: channel ? `https://www.youtube.com/channel/${channel}` : author?.uri,
      id: channel,
    },
    tags: (entry.categories ?? []).map(({ label, term }) => label ?? term),
    images: [
      ...links.filter(({ rel, type }) => rel === 'enclosure' && isImage(type)).map(({ href }) => href),
      ...mediaImages(entry.media),
    ],
    views: group?.community?.statistics?.views,
  }
}

const jsonEntry = (item: JsonItem, feed: JsonFeed): FeedEntry => {
  const author = item.authors?.[0] ?? feed.authors?.[0]
  return {
    addresses: [item.url, webId(item.id), item.external_url],
    title: asPlain(item.title),
    content: asHtml(item.content_html) ?? asPlain(item.content_text),
    summary: asPlain(item.summary),
    published: dateText(item.date_published ?? item.date_modified),
    updated: item.date_published === undefined ? undefined : dateText(item.date_modified),
    author: { name: author?.name, url: author?.url },
    tags: item.tags ?? [],
    images: [
      item.image,
      item.banner_image,
      ...(item.attachments ?? []).filter(({ mime_type }) => isImage(mime_type)).map(({ url }) => url),
    ],
  }
}

/** Names of formats of feeds. */
export type FeedFormat = 'rss' | 'atom' | 'json-feed'

/**
 * Parses a feed: RSS 2.0 and 1.0 (`rss`), Atom or JSON Feed.
 * @throws RefusedError for one that declares entities, which could expand without end, and for one that is invalid
 */
export const parsedFeed = (text: string): Feed & { format: FeedFormat } => {
  if (/<!ENTITY/i.test(text)) throw new RefusedError('The feed declares XML entities, which are not read')
  let parsed: Parsed
  try {
    parsed = parseFeed(text)
  } catch {
    throw new RefusedError('The file is not a valid feed')
  }
  if (parsed.format === 'rss') {
    const { title, link, items = [] } = parsed.feed
    return { format: 'rss', name: title, url: link, entries: items.map(rssEntry) }
  }
  if (parsed.format === 'rdf') {
    const { title, link, items = [] } = parsed.feed
    return { format: 'rss', name: title, url: link, entries: items.map(rdfEntry) }
  }
  if (parsed.format === 'atom') {
    const { feed } = parsed
    const page = feed.links?.find(({ rel = 'alternate' }) => rel === 'alternate')
    const base = feed.xml?.base
    const url = [page?.href, base].filter(isPresent).find(each => parseUrl(each, base))
    const entries = (feed.entries ?? []).map(entry => atomEntry(entry, feed))
    return {
      format: 'atom',
      name: feed.title?.value,
      url: url === undefined ? undefined : new URL(url, base).href,
      entries: entries.map(entry => ({ ...entry, base: baseOf(entry.base, base) })),
    }
  }
  const { title, home_page_url, items = [] } = parsed.feed
  return {
    format: 'json-feed',
    name: title,
    url: home_page_url,
    entries: items.map(item => jsonEntry(item, parsed.feed as JsonFeed)),
  }
}

/** Returns the base of an entry: `xml:base` of the entry is relative to that of the feed. */
const baseOf = (own: string | undefined, outer: string | undefined): string | undefined =>
  (own === undefined ? undefined : parseUrl(own, outer)?.href) ?? outer
