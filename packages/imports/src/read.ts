import { gunzip, isGzip } from './containers/gzip.js'
import { readAddresses } from './formats/addresses-list.js'
import { declaredEncoding, readFeed } from './formats/feeds/index.js'
import { readJetstream } from './formats/jetstream.js'
import { JSON_FORMATS } from './formats/json-formats.js'
import { TABLE_FORMATS } from './formats/tables.js'
import { joinAlbums } from './formats/telegram/albums.js'
import { readTelegramDesktop } from './formats/telegram/desktop.js'
import { readTiktokUserData } from './formats/tiktok-user-data.js'
import { readWacz } from './formats/wacz.js'
import { withoutAssignment } from './formats/x-archive.js'
import { readJson } from './json/read.js'
import { limited } from './records/limited.js'
import { RefusedError } from './refused.js'
import { readTable } from './tables/table.js'
import { chunksOf, decodeText, joinBytes, unixLines } from './text/decode.js'
import type { Answers, Format, Item } from './types.js'

const FEEDS = new Set(['rss', 'atom', 'json-feed'])
const HEAD = 65_536

const has = <T extends object>(table: T, name: string): name is Extract<keyof T, string> =>
  Object.hasOwn(table, name)

/** Returns the first bytes, and all bytes. */
const withHead = async (chunks: AsyncGenerator<Uint8Array>) => {
  const first: Uint8Array[] = []
  let length = 0
  while (length < HEAD) {
    const { done, value } = await chunks.next()
    if (done) break
    first.push(value)
    length += value.length
  }
  const head = joinBytes(first)
  async function* all() {
    if (head.length > 0) yield head
    yield* chunks
  }
  return { head, all: all() }
}

/** Items of a format before their values are limited. */
async function* itemsOf(
  chunks: AsyncGenerator<Uint8Array>,
  format: string,
  answers: Answers,
): AsyncGenerator<unknown, void, undefined> {
  if (format === 'wacz') {
    yield* readWacz(chunks, answers)
    return
  }
  const { head, all } = await withHead(chunks)
  if (isGzip(head)) {
    yield* itemsOf(gunzip(all), format, answers)
    return
  }
  const texts = unixLines(decodeText(all, answers.encoding ?? declaredEncoding(head)))
  if (format === 'urls') yield* readAddresses(texts, answers)
  else if (FEEDS.has(format)) yield* readFeed(texts, answers)
  else if (format === 'telegram-desktop') yield* joinAlbums(readTelegramDesktop(texts, answers))
  else if (format === 'jetstream') yield* readJetstream(texts, answers)
  else if (format === 'tiktok-user-data') yield* readTiktokUserData(texts, answers)
  else if (has(TABLE_FORMATS, format)) yield* readTable(texts, TABLE_FORMATS[format], answers)
  else if (has(JSON_FORMATS, format))
    yield* joinAlbums(readJson(withoutAssignment(texts), JSON_FORMATS[format], answers))
  else throw new RefusedError(`This format cannot be read: ${format}`)
}

/**
 * Reads the records of a file as it arrives. Every item of the file is yielded: its record, or the reason why it has
 * none. All records match `RECORD_SCHEMAS` of contracts.
 * @param format result of `recognise`, or the name of a format
 * @throws RefusedError for a file that is damaged, hostile or not of the format; EncodingError if it has another encoding
 */
export async function* read(
  stream: ReadableStream<Uint8Array>,
  format: Pick<Format, 'format'>,
  answers: Answers,
): AsyncGenerator<Item, void, undefined> {
  for await (const item of itemsOf(chunksOf(stream), format.format, answers)) yield limited(item as Item)
}
