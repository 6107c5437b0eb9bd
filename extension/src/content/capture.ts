import type { BlogRecord, TelegramRecord, TiktokRecord } from '@iodine/contracts'
import {
  type Captured,
  framesLoaded,
  imagesOf,
  type PageState,
  readPage,
  readTelegramPost,
  sourceOf,
  telegramPosts,
} from '../sources'
import { hashAll } from './pictures'

/** Posts from the page's own requests, by id. They have more fields than the page shows. */
export const seenPosts = new Map<string, TiktokRecord>()

/** By source, adds data that is not in the page's elements: hashes, and fields from the page's own requests. */
const complete = {
  tiktok: async (record: TiktokRecord, _: boolean): Promise<TiktokRecord> =>
    record.main.create_time == null ? (seenPosts.get(record.main.video_id) ?? record) : record,
  async telegram(record: TelegramRecord, readsPictures: boolean): Promise<TelegramRecord> {
    const { attachments } = record.telegram
    const images = (attachments ?? []).flatMap(({ type, url }) => (type === 'image' && url ? [url] : []))
    const hashes = await hashAll(images, readsPictures)
    if (!attachments || hashes.size === 0) return record
    const seen = attachments.map(attachment => {
      const sha256 = attachment.type === 'image' ? hashes.get(attachment.url ?? '') : undefined
      return { ...attachment, ...(sha256 && { sha256 }) }
    })
    return { ...record, telegram: { ...record.telegram, attachments: seen } }
  },
  async blog(record: BlogRecord, readsPictures: boolean): Promise<BlogRecord> {
    const hashes = await hashAll(imagesOf({ document, url: location.href }), readsPictures)
    return hashes.size > 0 ? { ...record, imageHashes: Object.fromEntries(hashes) } : record
  },
}

/** Records of a page, before `completed`. */
export interface ChosenRecords {
  page: PageState
  chosen: Captured[]
}

/** Returns the page's current state, with the URL and status of its load. */
const currentPage = (): PageState => {
  const [load] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[]
  return {
    document,
    url: location.href,
    time: new Date().toISOString(),
    ...(load && { loadedUrl: load.name, status: load.responseStatus }),
  }
}

/** Resolves once the page's frames have loaded: on Telegram's pages, a frame may contain the post. */
export const pageShown = async (): Promise<void> => {
  if (sourceOf(location.href) === 'telegram') await framesLoaded(document)
}

/** Reads the records of this page: its own post (else the one nearest to the middle of the window), or all. */
export const chooseRecords = (what: 'own' | 'all'): ChosenRecords => {
  const page = currentPage()
  const { source, own, all } = readPage(page)
  if (!source) return { page, chosen: [] }
  const inView = source === 'telegram' && !own ? postInView() : undefined
  const one = own ?? (inView && readTelegramPost(inView, page))
  const records = what === 'all' ? all : one ? [one] : []
  return { page, chosen: records.map(record => ({ source, record })) }
}

/** Adds data that is not in the page's elements to a record. */
export const completed = async ({ source, record }: Captured, readsPictures = true): Promise<Captured> => ({
  source,
  // The page of a removed post has no further data.
  record: record.context?.removed ? record : await complete[source](record as never, readsPictures),
})

/** Reads all records of this page. With `waits`, it first waits for frames and hashes new pictures. */
export const readAll = async (waits: boolean): Promise<Captured[]> => {
  if (waits) await pageShown()
  return Promise.all(chooseRecords('all').chosen.map(each => completed(each, waits)))
}

/** Returns the message nearest to the middle of the window. */
const postInView = (): Element | undefined => {
  const middle = innerHeight / 2
  const distance = (post: Element) => {
    const { top, bottom } = post.getBoundingClientRect()
    return top <= middle && bottom >= middle ? 0 : Math.min(Math.abs(top - middle), Math.abs(bottom - middle))
  }
  const near = telegramPosts(document).map(post => ({ post, away: distance(post) }))
  return near.sort((a, b) => a.away - b.away)[0]?.post
}
