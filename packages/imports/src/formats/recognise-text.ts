import { Header } from '../tables/cells.js'
import { csvRowsOf, type Separator, separatorOf } from '../tables/rows.js'
import { addressOf } from '../text/addresses.js'
import { isAddressSource } from './address-source.js'
import { firstAddress } from './addresses-list.js'
import { type TableFormatName, tableFormatOf } from './tables.js'

/** A format that the first characters of a text show. */
export type RecognisedText =
  | { format: 'rss' | 'atom' | 'warc' | 'telegram-desktop-html' | 'urls' }
  | { format: TableFormatName; separator: Separator; columns: readonly string[]; rows: readonly string[][] }

/** Rows of a preview. */
const PREVIEW = 10

/** Returns the format by the root element of XML or HTML; undefined for other HTML. */
const markupFormat = (text: string): RecognisedText | undefined => {
  const body = text.replace(/^(?:<\?.*?\?>|<!--.*?-->|<!DOCTYPE[^>[]*(?:\[.*?\]\s*)?>|\s)+/is, '')
  const [, root = ''] = /^<([\w:-]+)/.exec(body) ?? []
  if (root === 'rss' || root === 'rdf:RDF') return { format: 'rss' }
  if (root === 'feed' || root.endsWith(':feed')) return { format: 'atom' }
  const isExport = /<title>\s*Exported Data\s*<\/title>/i.test(text) && text.includes('page_wrap')
  return isExport ? { format: 'telegram-desktop-html' } : undefined
}

/** Returns whether half of the lines contain an address, and the first has no separator. */
const isAddressList = (lines: readonly string[]): boolean => {
  const written = lines.map(line => line.trim()).filter(line => line !== '')
  const lists = written.filter(line => !line.startsWith('#'))
  const [first] = lists
  if (first === undefined || /[;\t|]|,\S/.test(first.replace(/https?:\S+/gi, ''))) return false
  const found = lists.filter(line => {
    const address = addressOf(firstAddress(line) ?? line)
    return isAddressSource(address) || address.skipped !== 'no-address'
  })
  return found.length * 2 >= lists.length
}

/**
 * Returns the format of a text that is not JSON, by its first characters: a feed, a web archive, a page of Telegram's
 * export, a list of addresses or a table. Undefined for other HTML and for a blank text.
 * @param head with line ends `\n`
 * @param isWhole whether the head is the whole text, so that its last line is not cut
 */
export const recogniseText = (head: string, isWhole: boolean): RecognisedText | undefined => {
  if (head.trim() === '') return undefined
  if (/^WARC\/1\./.test(head)) return { format: 'warc' }
  if (/^\s*</.test(head)) return markupFormat(head)
  const lines = head.split('\n')
  if (!isWhole && lines.length > 1) lines.pop()
  const separator = separatorOf(head)
  const rows = csvRowsOf(head, separator).slice(0, PREVIEW + 1)
  const [names = [], ...preview] = rows
  const header = new Header(names)
  const format = tableFormatOf(header, separator)
  if (format === 'csv' && isAddressList(lines.slice(0, 100))) return { format: 'urls' }
  return { format, separator, columns: header.names, rows: preview }
}
