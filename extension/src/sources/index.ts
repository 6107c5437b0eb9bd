import type { RecordOf, Source } from '@iodine/contracts'
import { type Absence, absenceOf, removalOf } from './absence'
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

/**
 * The records of a page; none if it is not a web page. With `absence` the page has no post: of a removed one the record
 * says only that.
 */
export const readPage = (
  page: PageState,
): { source: Source | undefined; absence?: Absence } & Found<RecordOf[Source]> => {
  const source = sourceOf(page.url)
  if (!source) return { source, own: undefined, all: [] }
  const absence = absenceOf(source, page)
  if (!absence) return { source, ...readers[source](page) }
  const removal = absence.kind === 'removed' ? removalOf(source, page) : undefined
  return { source, own: removal, all: removal ? [removal] : [], absence }
}

export type { Absence } from './absence'
export { imagesOf } from './blog'
export { allIn, articlePart } from './context'
export { type PageState, urlOf } from './read'
export { channelPage, framesLoaded, isTelegramApp, readTelegramPost, telegramPosts } from './telegram'
export { isTiktokHost, isTiktokList, readTiktokList } from './tiktok'
