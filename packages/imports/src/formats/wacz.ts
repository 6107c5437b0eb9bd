import { zipEntries } from '../containers/zip.js'
import { type DraftRecord, recordOfAddress } from '../records/of-draft.js'
import { addressOf } from '../text/addresses.js'
import { decodeText, unixLines } from '../text/decode.js'
import { linesOf } from '../text/lines.js'
import { timeOf } from '../text/times.js'
import type { Reason } from '../types.js'
import { isAddressSource } from './address-source.js'

/** A page of the list of pages (WACZ 1.1.1, section 5.2.1). */
interface Page {
  url?: unknown
  ts?: unknown
  title?: unknown
  text?: unknown
}

const isPageList = (name: string) => /^pages\/[^/]+\.jsonl$/.test(name)
/** Returns whether a zip file with these entries is a web archive. */
export const isWacz = (names: readonly string[]): boolean =>
  names.includes('datapackage.json') ||
  names.some(name => isPageList(name) || /^archive\/.*\.warc(?:\.gz)?$/.test(name))

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined

const parsedLine = (line: string): Page | undefined => {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined
  } catch {
    return undefined
  }
}

type PageItem = (DraftRecord & { at: number }) | { skipped: Reason; line: number }

const pageRecord = (page: Page, line: number, fileTime: string): PageItem => {
  const url = textOf(page.url)
  const address = url === undefined ? { skipped: 'no-address' as const } : addressOf(url)
  if (!isAddressSource(address)) return { skipped: address.skipped, line }
  const title = textOf(page.title)
  const fetched = timeOf(page.ts) ?? fileTime
  const isTitled = title !== undefined && title !== url
  // A platform's page has its title and text, not the post's.
  const draft = address.source === 'blog' ? { ...(isTitled && { title }), text: textOf(page.text) } : {}
  return { ...recordOfAddress(address, draft, { fetched, by: 'wacz' }), at: line }
}

/**
 * Reads the pages of a web archive. Lines are counted through all lists of pages.
 * @throws RefusedError for a damaged archive, and above the limits of `zipEntries`
 */
export async function* readWacz(
  chunks: AsyncIterable<Uint8Array>,
  answers: { file_time: string },
): AsyncGenerator<PageItem, void, undefined> {
  let line = 0
  for await (const { content } of zipEntries(chunks, isPageList))
    for await (const text of linesOf(unixLines(decodeText(content, 'utf-8')))) {
      line += 1
      if (text.trim() === '') continue
      const page = parsedLine(text)
      if (!page) yield { skipped: 'broken-line', line }
      // The first line of a list describes it.
      else if (!('format' in page) || 'url' in page) yield pageRecord(page, line, answers.file_time)
    }
}
