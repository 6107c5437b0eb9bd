import { readTable, type TableAnswers, type TableItem } from '../tables/table.js'
import { decodeText, joinBytes, unixLines } from '../text/decode.js'
import { readAddresses } from './addresses-list.js'
import { declaredEncoding, readFeed } from './feeds/index.js'
import { TABLE_FORMATS, type TableFormatName } from './tables.js'
import { readTelegramHtml } from './telegram-html.js'
import { readWacz } from './wacz.js'
import { readWarc } from './warc.js'

type Reader = (chunks: AsyncIterable<Uint8Array>, answers: TableAnswers) => AsyncIterable<TableItem>

const tableReader =
  (name: TableFormatName): Reader =>
  (chunks, answers) =>
    readTable(unixLines(decodeText(chunks, answers.encoding)), TABLE_FORMATS[name], answers)

/** Puts the first chunks back in front of the others, once their first 200 bytes are known. */
async function withHead(
  chunks: AsyncIterable<Uint8Array>,
): Promise<{ head: Uint8Array; all: AsyncGenerator<Uint8Array> }> {
  const source = chunks[Symbol.asyncIterator]()
  let head = new Uint8Array()
  let isDone = false
  while (!isDone && head.length < 200) {
    const { done = false, value } = await source.next()
    isDone = done
    if (!done) head = joinBytes([head, value])
  }
  async function* all() {
    yield head
    if (!isDone) yield* { [Symbol.asyncIterator]: () => source }
  }
  return { head, all: all() }
}

/** Feeds state their encoding themselves: by a mark, else by the XML declaration. */
const feedReader: Reader = async function* (chunks, answers) {
  const { head, all } = await withHead(chunks)
  yield* readFeed(decodeText(all, answers.encoding ?? declaredEncoding(head)), answers)
}

const READERS: Record<string, Reader> = {
  urls: (chunks, answers) => readAddresses(unixLines(decodeText(chunks, answers.encoding)), answers),
  rss: feedReader,
  atom: feedReader,
  'json-feed': feedReader,
  wacz: readWacz,
  warc: readWarc,
  'telegram-desktop-html': (chunks, answers) => readTelegramHtml(decodeText(chunks, 'utf-8'), answers),
}

/** Returns the reader of a format of tables, addresses, feeds and web archives; undefined for another format. */
export const readerOf = (format: string): Reader | undefined =>
  Object.hasOwn(TABLE_FORMATS, format)
    ? tableReader(format as TableFormatName)
    : Object.hasOwn(READERS, format)
      ? READERS[format]
      : undefined
