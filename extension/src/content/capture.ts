import type { BlogRecord, TelegramRecord, TiktokRecord } from '@iodine/contracts'
import type { PageReport } from '../background/tabs'
import { type Captured, imagesOf, readPage, readTelegramPost, telegramPosts } from '../sources'

const PICTURE_MS = 8_000
const PICTURE_BYTES_MAX = 20_000_000
const PICTURES_AT_ONCE = 6

/** SHA-256 of a picture's bytes in hex; undefined if the page may not read them. */
const hashOf = async (address: string, signal: AbortSignal): Promise<string | undefined> => {
  try {
    const response = await fetch(address, { cache: 'force-cache', credentials: 'same-origin', signal })
    if (!response.ok || Number(response.headers.get('content-length') ?? 0) > PICTURE_BYTES_MAX)
      return undefined
    const bytes = await response.arrayBuffer()
    if (bytes.byteLength === 0 || bytes.byteLength > PICTURE_BYTES_MAX) return undefined
    const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
    return Array.from(digest, byte => byte.toString(16).padStart(2, '0')).join('')
  } catch {
    return undefined
  }
}

const hashed = new Map<string, string>()
/** The hashes, by address, of the pictures read before the timeout. Each picture is read once per page. */
const hashAll = async (addresses: string[]): Promise<Map<string, string>> => {
  const signal = AbortSignal.timeout(PICTURE_MS)
  const waiting = addresses.filter(address => !hashed.has(address))
  const work = async () => {
    for (let address = waiting.shift(); address !== undefined; address = waiting.shift()) {
      const hash = await hashOf(address, signal)
      if (hash) hashed.set(address, hash)
    }
  }
  await Promise.all(Array.from({ length: PICTURES_AT_ONCE }, work))
  return new Map([...hashed].filter(([address]) => addresses.includes(address)))
}

/** Posts from the page's own requests, by id. They have more fields than the page shows. */
export const seenPosts = new Map<string, TiktokRecord>()

/** Adds data that is not in the page's elements: hashes, and fields of the page's own requests. */
const complete = {
  tiktok: async (record: TiktokRecord): Promise<TiktokRecord> =>
    record.main.create_time == null ? (seenPosts.get(record.main.video_id) ?? record) : record,
  async telegram(record: TelegramRecord): Promise<TelegramRecord> {
    const { attachments } = record.telegram
    const images = (attachments ?? []).flatMap(({ type, url }) => (type === 'image' && url ? [url] : []))
    const hashes = await hashAll(images)
    if (!attachments || hashes.size === 0) return record
    const seen = attachments.map(attachment => {
      const sha256 = attachment.type === 'image' ? hashes.get(attachment.url ?? '') : undefined
      return { ...attachment, ...(sha256 && { sha256 }) }
    })
    return { ...record, telegram: { ...record.telegram, attachments: seen } }
  },
  async blog(record: BlogRecord): Promise<BlogRecord> {
    const hashes = await hashAll(imagesOf({ document, url: location.href }))
    return hashes.size > 0 ? { ...record, imageHashes: Object.fromEntries(hashes) } : record
  },
}

/** The records of this page: its own post (else the one in the middle of the window), or all. */
export const capture = async (what: 'own' | 'all'): Promise<PageReport> => {
  const page = { document, url: location.href, time: new Date().toISOString() }
  const { source, own, all } = readPage(page)
  if (!source) return { url: page.url, captured: [] }
  const inView = source === 'telegram' && !own ? postInView() : undefined
  const one = own ?? (inView && readTelegramPost(inView, page))
  const chosen = what === 'all' ? all : one ? [one] : []
  const captured = chosen.map(
    async (record): Promise<Captured> => ({ source, record: await complete[source](record as never) }),
  )
  return { url: page.url, captured: await Promise.all(captured) }
}

/** The message nearest to the middle of the window. */
const postInView = (): Element | undefined => {
  const middle = innerHeight / 2
  const distance = (post: Element) => {
    const { top, bottom } = post.getBoundingClientRect()
    return top <= middle && bottom >= middle ? 0 : Math.min(Math.abs(top - middle), Math.abs(bottom - middle))
  }
  const near = telegramPosts(document).map(post => ({ post, away: distance(post) }))
  return near.sort((a, b) => a.away - b.away)[0]?.post
}
