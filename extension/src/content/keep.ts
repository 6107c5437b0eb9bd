import { pageAddress } from '@iodine/contracts'
import { BoundedMap } from '../shared/bounded'
import { Failure } from '../shared/failures'
import { sendRequest } from '../shared/messages'
import { type Captured, isTiktokList, readTiktokList, sourceOf } from '../sources'
import { readAll, seenPosts } from './capture'

/** Delay of a reading after the page's last change, */
const SETTLED_MS = 700
/** its maximum after the first change, if the page changes continuously, */
const CHANGING_MS = 3_000
/** and the minimum time between two readings. */
const INTERVAL_MS = 10_000
const LIST_CHARACTERS_MAX = 32_000_000
/** Maximum records whose content is remembered. A record beyond it is sent again. */
const REMEMBERED_MAX = 2_000

/** A message of the script in the page's main world. A page may forge it: trust it only as data of that page. */
export interface ForwardedList {
  iodine: 'list'
  url: string
  text: string
}

/** Returns the current URL: scripts may change it without a page load. */
const currentAddress = (): string => pageAddress(location.href)

const keyOf = ({ source, record }: Captured): string => {
  if ('main' in record) return `${source} ${record.main.video_id}`
  return `${source} ${'telegram' in record ? record.telegram.post.url : currentAddress()}`
}

/** Returns a record's content without its times, for comparison. All removal notices are equal. */
const contentOf = ({ record: { collector_metadata: _, ...content } }: Captured): string =>
  content.context?.removed ? 'removed' : JSON.stringify(content)

/** Returns whether a record has more than an id. A removal notice counts as complete. */
const isComplete = ({ record }: Captured): boolean =>
  !('main' in record) || record.main.create_time != null || record.context?.removed !== undefined

/** Returns and remembers the records of a forwarded list; undefined for other messages. */
const readForwarded = ({ source, origin, data }: MessageEvent): Captured[] | undefined => {
  if (source !== window || origin !== location.origin || data?.iodine !== 'list') return
  const { url, text } = data as ForwardedList
  if (typeof text !== 'string' || text.length > LIST_CHARACTERS_MAX || !isTiktokList(String(url))) return
  try {
    const records = readTiktokList(JSON.parse(text), new Date().toISOString())
    for (const record of records) seenPosts.set(record.main.video_id, record)
    return records.map(record => ({ source: 'tiktok', record }))
  } catch {}
}

/** Creates a keeper, which sends the page's records whenever their content changes, until stopped. */
export const createKeeper = () => {
  /** The content sent last, by record. */
  const sentContents = new BoundedMap<string, string>(REMEMBERED_MAX)
  /** Records that the background has not acknowledged. */
  const unsent = new BoundedMap<string, Captured>(REMEMBERED_MAX)
  let timer: ReturnType<typeof setTimeout> | undefined
  let observer: MutationObserver | undefined
  /** Times of the first unread change and of the last reading (milliseconds of `performance.now()`). */
  let changedAt: number | undefined
  let lastRead = { at: Number.NEGATIVE_INFINITY, address: '' }

  const send = async (captured: readonly Captured[]) => {
    for (const each of captured) {
      const content = contentOf(each)
      if (sentContents.get(keyOf(each)) === content) continue
      sentContents.set(keyOf(each), content)
      unsent.set(keyOf(each), each)
    }
    if (unsent.size === 0) return
    const sending = [...unsent]
    unsent.clear()
    try {
      await sendRequest('captured', { captured: sending.map(([, each]) => each) })
    } catch (error) {
      // The extension was updated or removed: this script is orphaned.
      if (error instanceof Failure && error.kind === 'updated') return stop()
      // The browser ended the background, or the disk is full: the next reading retries.
      for (const [key, each] of sending) if (!unsent.has(key)) unsent.set(key, each)
      if (observer) readSoon()
    }
  }

  const read = async (waits = true) => {
    changedAt = undefined
    lastRead = { at: performance.now(), address: currentAddress() }
    // If the reading fails, unacknowledged records are still sent.
    await send((await readAll(waits).catch(() => [])).filter(isComplete))
  }

  const readSoon = () => {
    const now = performance.now()
    changedAt ??= now
    const due = Math.min(now + SETTLED_MS, changedAt + CHANGING_MS)
    // The minimum interval applies per page, also in a single-page application.
    const allowed = currentAddress() === lastRead.address ? lastRead.at + INTERVAL_MS : 0
    clearTimeout(timer)
    timer = setTimeout(() => read().catch(() => {}), Math.max(due, allowed) - now)
  }

  /** Reads unread changes before the page is left, without waiting for frames and pictures. */
  const readLast = () => {
    if (changedAt !== undefined || unsent.size > 0) read(false).catch(() => {})
  }

  const receive = (event: MessageEvent) => {
    const captured = readForwarded(event)
    if (captured) void send(captured)
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
