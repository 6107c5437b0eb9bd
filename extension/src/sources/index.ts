import type { RecordOf, Source } from '@iodine/contracts'
import { Failure } from '../shared/failures'
import { readBlogPage } from './blog'
import { type Found, type PageState, urlOf } from './read'
import { isTelegramHost, readTelegramPage } from './telegram'
import { isTiktokHost, readTiktokPage } from './tiktok'

/** The source of a page's address; undefined if it is not a web page's. */
export const sourceOf = (address: string): Source | undefined => {
  const url = urlOf(address)
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') return undefined
  if (isTiktokHost(url.hostname)) return 'tiktok'
  return isTelegramHost(url.hostname) ? 'telegram' : 'blog'
}

const readers: { [S in Source]: (page: PageState) => Found<RecordOf[S]> } = {
  tiktok: readTiktokPage,
  telegram: readTelegramPage,
  blog: readBlogPage,
}

/** A record with its source. */
export interface Captured<S extends Source = Source> {
  source: S
  record: RecordOf[S]
}

/** The beginning of a feed's text: other declarations and comments may stand before its root. */
const FEED = /^\s*(?:<[?!][^>]*>\s*)*<(?:rss|feed|rdf:RDF)[\s>]/i
const FEED_CHARACTERS = 2_000

/** Throws the `Failure` of a document from which nothing can be collected, such as a feed that a browser shows. */
export const refuseOthers = ({ document }: Pick<PageState, 'document'>): void => {
  const { contentType: type, documentElement: root } = document
  if (type === 'text/html' || type === 'application/xhtml+xml') return
  if (type === 'image/svg+xml') throw new Failure('svg')
  if (/\bpdf\b/.test(type)) throw new Failure('pdf')
  // Chromium shows some feeds as their text.
  const beginning = type === 'text/plain' ? (root?.textContent ?? '').slice(0, FEED_CHARACTERS) : ''
  if (/^(rss|feed|RDF)$/i.test(root?.localName ?? '') || FEED.test(beginning)) throw new Failure('feed')
  throw new Failure('file', { type })
}

/** The records of a page; none if it is not a web page. Throws a `Failure` where it can hold none. */
export const readPage = (page: PageState): { source: Source | undefined } & Found<RecordOf[Source]> => {
  refuseOthers(page)
  const source = sourceOf(page.url)
  return source ? { source, ...readers[source](page) } : { source, own: undefined, all: [] }
}

export { imagesOf } from './blog'
export { articlePart } from './context'
export { type PageState, urlOf } from './read'
export { elementOf, readTelegramPost, telegramPosts } from './telegram'
export { isTiktokHost, isTiktokList, readTiktokList } from './tiktok'
