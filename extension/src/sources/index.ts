import type { CollectedSource, RecordOf } from '@iodine/contracts'
import { parseUrl } from '@iodine/contracts'
import { Failure } from '../shared/failures'
import { absenceOf, removalOf } from './absence'
import { readBlogPage } from './blog'
import type { Found, PageState } from './read'
import { channelPage, isTelegramApp, isTelegramHost, readTelegramPage } from './telegram'
import { isTiktokHost, readTiktokPage } from './tiktok'

/** Returns the source of a page's URL; undefined if it is not a web page's. */
export const sourceOf = (address: string): CollectedSource | undefined => {
  const url = parseUrl(address)
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') return undefined
  if (isTiktokHost(url.hostname)) return 'tiktok'
  return isTelegramHost(url.hostname) ? 'telegram' : 'blog'
}

const readers: { [S in CollectedSource]: (page: PageState) => Found<RecordOf[S]> } = {
  tiktok: readTiktokPage,
  telegram: readTelegramPage,
  blog: readBlogPage,
}

/** A record with its source. */
export interface Captured<S extends CollectedSource = CollectedSource> {
  source: S
  record: RecordOf[S]
}

/** The beginning of a feed's text: declarations and comments may precede its root. */
const FEED = /^\s*(?:<[?!][^>]*>\s*)*<(?:rss|feed|rdf:RDF)[\s>]/i
const FEED_CHARACTERS = 2_000

/**
 * Checks that a document can be collected.
 * @throws Failure for an unsupported document, such as a feed or Telegram's web app
 */
export const rejectUnsupported = ({ document, url }: Pick<PageState, 'document' | 'url'>): void => {
  if (isTelegramApp(url)) throw new Failure('webApp', { page: channelPage(url) })
  const { contentType: type, documentElement: root } = document
  if (type === 'text/html' || type === 'application/xhtml+xml') return
  if (type === 'image/svg+xml') throw new Failure('svg')
  if (/\bpdf\b/.test(type)) throw new Failure('pdf')
  // Chromium shows some feeds as their text.
  const beginning = type === 'text/plain' ? (root?.textContent ?? '').slice(0, FEED_CHARACTERS) : ''
  if (/^(rss|feed|RDF)$/i.test(root?.localName ?? '') || FEED.test(beginning)) throw new Failure('feed')
  throw new Failure('file', { type })
}

/**
 * Reads the records of a page; none if it is not a web page. The record of a removed post is a removal notice.
 * @throws Failure if the page has no post or is unsupported
 */
export const readPage = (
  page: PageState,
): { source: CollectedSource | undefined } & Found<RecordOf[CollectedSource]> => {
  const source = sourceOf(page.url)
  if (!source) return { source, own: undefined, all: [] }
  const absence = absenceOf(source, page)
  if (!absence) {
    rejectUnsupported(page)
    return { source, ...readers[source](page) }
  }
  const removal = absence.kind === 'removed' ? removalOf(source, page) : undefined
  if (!removal) throw new Failure(absence.kind, { ...absence })
  return { source, own: removal, all: [removal] }
}

export { imagesOf } from './blog'
export { allIn, articlePart } from './context'
export type { PageState } from './read'
export { channelPage, elementOf, framesLoaded, readTelegramPost, telegramPosts } from './telegram'
export { isTiktokHost, isTiktokList, readTiktokList } from './tiktok'
