import Papa from 'papaparse'
import { gunzipHead, isGzip } from './containers/gzip.js'
import { isSafeName, zipHead, zipNames } from './containers/zip.js'
import { firstAddress } from './formats/addresses-list.js'
import { proposedColumns } from './formats/proposed-columns.js'
import { tableFormatOf } from './formats/tables.js'
import { isWacz } from './formats/wacz.js'
import { ENTRIES, isDataFile } from './formats/zip-entries.js'
import { jsonFormatOf } from './json/recognise.js'
import { questionsOf } from './questions.js'
import { Header } from './tables/cells.js'
import { COLUMNS_MAX, separatorOf } from './tables/rows.js'
import { encodingOf, proposedEncodings } from './text/decode.js'
import type { Ask, Format, Question, Refusal } from './types.js'

const ROWS_SHOWN = 10

const unknown = (detail: string): Refusal => ({ kind: 'refused', format: 'unknown-format', detail })
const EMPTY: Refusal = { kind: 'refused', format: 'empty', detail: 'The file is empty' }
const WORKBOOK = 'This is a workbook: save it as CSV UTF-8, then import that file'
const UNKNOWN = 'Iodine does not know this format'

const found = (format: string, questions: readonly Question[]): Format | Ask =>
  questions.some(({ required }) => required)
    ? { kind: 'ask', format, questions }
    : { kind: 'format', format, ...(questions.length > 0 && { questions }) }

const recogniseZip = (head: Uint8Array, name: string): Format | Ask | Refusal => {
  const names = zipNames(head).filter(isSafeName)
  if (names.includes('[Content_Types].xml')) return unknown(WORKBOOK)
  if (isWacz(names)) return found('wacz', [])
  const known = ENTRIES.find(({ entry }) => names.some(each => entry.test(each)))
  if (known) return found(known.format, questionsOf(known.format, { name }))
  const file = names.find(isDataFile)
  return file === undefined ? unknown(UNKNOWN) : recognise(zipHead(head, file), file)
}

/** Returns the format of XML or HTML by its root. */
const markupFormat = (text: string): string | undefined => {
  // Nothing may follow in the pattern: comments could be split in any way to reach it.
  const body = text.replace(/^(?:<\?.*?\?>|<!--.*?-->|<!DOCTYPE[^>[]*(?:\[.*?\]\s*)?>|\s)+/is, '')
  const root = /^<([\w:]+)/.exec(body)?.[1]
  if (root === 'rss' || root === 'rdf:RDF') return 'rss'
  if (root === 'feed' || root?.endsWith(':feed')) return 'atom'
  const isExport = /<title>\s*Exported Data\s*<\/title>/i.test(text) && /class="page_wrap/.test(text)
  return root?.toLowerCase() === 'html' && isExport ? 'telegram-desktop-html' : undefined
}

const recogniseTable = (text: string, name: string): Format | Ask | Refusal => {
  const separator = separatorOf(text)
  const body = text.replace(/^\n+/, '').replace(/^"?sep=.\S*\n/i, '')
  const { data } = Papa.parse<string[]>(body, {
    delimiter: separator,
    preview: ROWS_SHOWN + 1,
    skipEmptyLines: true,
  })
  const [columns = [], ...rows] = data
  if (columns.length > COLUMNS_MAX)
    return { kind: 'refused', format: 'refused', detail: 'The table has more than 10,000 columns' }
  const format = tableFormatOf(new Header(columns), separator)
  if (format !== 'csv') return found(format, questionsOf(format, { name, text }))
  const lines = text.split('\n', 1_000).filter(line => line.trim() !== '' && !line.startsWith('#'))
  const addresses = lines.filter(line => firstAddress(line) !== undefined).length
  // URLs may contain separators.
  const isList = !/[;\t|]|,\S/.test((lines[0] ?? '').replace(/https?:\S+/gi, ''))
  if (isList && addresses * 2 >= lines.length) return found('urls', [])
  if (columns.length <= 1 && rows.length === 0) return unknown(UNKNOWN)
  const mapping = proposedColumns(columns)
  return found('csv', [
    { name: 'mapping', required: true, columns, rows, mapping },
    { name: 'timezone', required: false },
    { name: 'date_format', required: false },
    { name: 'platform', required: false },
  ])
}

const recogniseText = (text: string, name: string): Format | Ask | Refusal => {
  const start = text.trimStart()
  if (start === '') return EMPTY
  if (start.startsWith('WARC/1.')) return found('warc', [])
  if (/^window\.YTD\.\w+\.part\d+\s*=/.test(start)) {
    if (!/^window\.YTD\.tweets?\./.test(start)) return unknown('This part of an archive of X has no posts')
    return found('x-archive', questionsOf('x-archive', { name }))
  }
  if (start.startsWith('<')) {
    const format = markupFormat(start)
    return format === undefined ? unknown(UNKNOWN) : found(format, questionsOf(format, { name }))
  }
  if (/^[{[]/.test(start)) {
    const format = jsonFormatOf(start)
    if (format !== undefined) return found(format, questionsOf(format, { name, text }))
    // Of a list of addresses, or a table: defanged hosts stand in brackets.
    if (/^\s*(?:\{|\[\s*["{[\]\d-])/.test(start)) return unknown(UNKNOWN)
  }
  return recogniseTable(text, name)
}

/**
 * Recognises a file by its first bytes. The name of the file proposes answers only.
 * @param head the first bytes, up to 256 KiB
 * @returns by `kind`: `format`, which `read` takes; `ask`, a format with questions that need an answer; `refused`
 */
export const recognise = (head: Uint8Array, name: string): Format | Ask | Refusal => {
  if (head.length === 0) return EMPTY
  if (head[0] === 0x50 && head[1] === 0x4b && head[2] === 3 && head[3] === 4) return recogniseZip(head, name)
  if (isGzip(head)) return recognise(gunzipHead(head), name.replace(/\.gz$/i, ''))
  const encoding = encodingOf(head)
  const isBinary = head.subarray(0, 512).includes(0) && !encoding?.startsWith('utf-16')
  if (isBinary || (head[0] === 0xff && head[1] === 0xd8)) return unknown(UNKNOWN)
  const encodings = encoding === undefined ? proposedEncodings(head) : []
  const text = new TextDecoder(encoding ?? encodings[0] ?? 'utf-8').decode(head).replace(/\r\n?/g, '\n')
  if (text.startsWith('%PDF')) return unknown(UNKNOWN)
  const result = recogniseText(text, name)
  // XML states its encoding itself.
  if (encoding !== undefined || result.kind === 'refused' || text.trimStart().startsWith('<?xml'))
    return result
  const question: Question = { name: 'encoding', required: true, proposed: encodings }
  return { kind: 'ask', format: result.format, questions: [question, ...(result.questions ?? [])] }
}
