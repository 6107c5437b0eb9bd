import { pageAddress } from '@iodine/contracts'
import { BoundedMap } from '../shared/bounded'
import { Failure } from '../shared/failures'
import { ask } from '../shared/messages'
import { type Captured, isTiktokList, readTiktokList, sourceOf } from '../sources'
import { readAll, seenPosts } from './capture'

/** A page is read so long after its last change; */
const SETTLED_MS = 700
/** if it changes all the time, so long after the first one; */
const CHANGING_MS = 3_000
/** and once in so long at most. */
const PACE_MS = 10_000
const LIST_CHARACTERS_MAX = 32_000_000
/** Records of a page whose content is remembered; others count as new when they are read again. */
const REMEMBERED_MAX = 2_000

/**
 * A message of the script in the page's own world. A page may forge it: trust it only as data of that page.
 */
export interface PassedList {
  iodine: 'list'
  url: string
  text: string
}

/** The address of what a page shows: scripts may show another page without loading one. */
const placeNow = (): string => pageAddress(location.href)

const keyOf = ({ source, record }: Captured): string => {
  if ('main' in record) return `${source} ${record.main.video_id}`
  return `${source} ${'telegram' in record ? record.telegram.post.url : placeNow()}`
}

/** What a record says, apart from when it was read; that a post was removed is one fact, whenever it is seen. */
const contentOf = ({ record: { collector_metadata: _, ...content } }: Captured): string =>
  content.context?.removed ? 'removed' : JSON.stringify(content)

/** A post with only an address says nothing that its list does not, unless it says that it was removed. */
const isWhole = ({ record }: Captured): boolean =>
  !('main' in record) || record.main.create_time != null || record.context?.removed !== undefined

/** Collects the page's records as the page changes, until stopped. Changes of nothing that a record holds are none. */
export const createKeeper = () => {
  /** What was handed over last, by record. */
  const handed = new BoundedMap<string, string>(REMEMBERED_MAX)
  /** What the background has not taken yet. */
  const unsent = new BoundedMap<string, Captured>(REMEMBERED_MAX)
  let timer: number | undefined
  let observer: MutationObserver | undefined
  /** The first change that was not read, and the last reading (milliseconds of `performance.now()`). */
  let changedAt: number | undefined
  let readAt = Number.NEGATIVE_INFINITY
  let readPlace = ''

  const handOver = async (captured: readonly Captured[]) => {
    for (const each of captured) {
      const content = contentOf(each)
      if (handed.get(keyOf(each)) === content) continue
      handed.set(keyOf(each), content)
      unsent.set(keyOf(each), each)
    }
    if (unsent.size === 0) return
    const sending = [...unsent]
    unsent.clear()
    try {
      await ask('captured', { captured: sending.map(([, each]) => each) })
    } catch (error) {
      // The extension was updated or removed: this script belongs to nobody any more.
      if (error instanceof Failure && error.kind === 'updated') return stop()
      // The browser ended the background, or the disk is full: the same goes out with the next reading.
      for (const [key, each] of sending) if (!unsent.has(key)) unsent.set(key, each)
      if (observer) readSoon()
    }
  }

  const read = async (waits = true) => {
    changedAt = undefined
    readAt = performance.now()
    readPlace = placeNow()
    // A page may show no post for a while; what the background did not take goes out all the same.
    await handOver((await readAll(waits).catch(() => [])).filter(isWhole))
  }

  const readSoon = () => {
    const now = performance.now()
    changedAt ??= now
    const due = Math.min(now + SETTLED_MS, changedAt + CHANGING_MS)
    // Another page of a site that loads none is a page of its own.
    const allowed = placeNow() === readPlace ? readAt + PACE_MS : 0
    clearTimeout(timer)
    timer = setTimeout(() => read().catch(() => {}), Math.max(due, allowed) - now)
  }

  /** What the page has shown since the last reading. Nothing that must be loaded comes in time. */
  const readLast = () => {
    if (changedAt !== undefined || unsent.size > 0) read(false).catch(() => {})
  }

  const receive = ({ source, origin, data }: MessageEvent) => {
    if (source !== window || origin !== location.origin || data?.iodine !== 'list') return
    const { url, text } = data as PassedList
    if (typeof text !== 'string' || text.length > LIST_CHARACTERS_MAX || !isTiktokList(String(url))) return
    try {
      const records = readTiktokList(JSON.parse(text), new Date().toISOString())
      for (const record of records) seenPosts.set(record.main.video_id, record)
      handOver(records.map(record => ({ source: 'tiktok', record })))
    } catch {}
  }

  const stop = () => {
    clearTimeout(timer)
    observer?.disconnect()
    observer = undefined
    removeEventListener('message', receive)
    removeEventListener('pagehide', readLast)
  }

  return {
    start() {
      if (observer) return
      observer = new MutationObserver(readSoon)
      observer.observe(document, { childList: true, subtree: true, characterData: true })
      if (sourceOf(location.href) === 'tiktok') addEventListener('message', receive)
      addEventListener('pagehide', readLast)
      readSoon()
    },
    stop,
  }
}
