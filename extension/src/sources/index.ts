import type { RecordOf, Source } from '@iodine/contracts'
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

/** The records of a page; none if it is not a web page. */
export const readPage = (page: PageState): { source: Source | undefined } & Found<RecordOf[Source]> => {
  const source = sourceOf(page.url)
  return source ? { source, ...readers[source](page) } : { source, own: undefined, all: [] }
}

export { imagesOf } from './blog'
export { allIn, articlePart } from './context'
export { type PageState, urlOf } from './read'
export { channelPage, framesLoaded, isTelegramApp, readTelegramPost, telegramPosts } from './telegram'
export { isTiktokHost, isTiktokList, readTiktokList } from './tiktok'
