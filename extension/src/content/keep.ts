import { ask } from '../shared/messages'
import { type Captured, isTiktokList, readTiktokList, sourceOf } from '../sources'
import { readAll, seenPosts } from './capture'

const SETTLED_MS = 700
const LIST_CHARACTERS_MAX = 32_000_000

/**
 * A message of the script in the page's own world. A page may forge it: trust it only as data of that page.
 */
export interface PassedList {
  iodine: 'list'
  url: string
  text: string
}

/** Collects the page's records at each change of the page, until stopped. */
export const createKeeper = () => {
  /** The records sent to the background, by source and content without the time. */
  const handed = new Set<string>()
  let timer: number | undefined
  let observer: MutationObserver | undefined

  const handOver = async (captured: Captured[]) => {
    const fresh = captured.filter(({ source, record: { collector_metadata: _, ...content } }) => {
      const key = source + JSON.stringify(content)
      return !handed.has(key) && handed.add(key)
    })
    if (fresh.length > 0) await ask('captured', { captured: fresh }).catch(stop)
  }

  const scan = async () => {
    // A post with only an address says nothing that its list does not.
    await handOver(
      (await readAll()).filter(
        ({ record }) => !('main' in record) || record.main.create_time != null || record.context?.removed,
      ),
    )
  }

  const scanSoon = () => {
    clearTimeout(timer)
    timer = setTimeout(scan, SETTLED_MS)
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
  }

  return {
    start() {
      if (observer) return
      observer = new MutationObserver(scanSoon)
      observer.observe(document, { childList: true, subtree: true })
      if (sourceOf(location.href) === 'tiktok') addEventListener('message', receive)
      scanSoon()
    },
    stop,
  }
}
