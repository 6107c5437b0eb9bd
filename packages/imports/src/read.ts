import { gunzip, isGzip } from './containers/gzip.js'
import { zipEntries } from './containers/zip.js'
import { readAddresses } from './formats/addresses-list.js'
import { declaredEncoding, readFeed } from './formats/feeds/index.js'
import { readJetstream } from './formats/jetstream.js'
import { JSON_FORMATS } from './formats/json-formats.js'
import { TABLE_FORMATS } from './formats/tables.js'
import { joinAlbums } from './formats/telegram/albums.js'
import { readTelegramDesktop } from './formats/telegram/desktop.js'
import { readTelegramHtml } from './formats/telegram/html.js'
import { readTiktokUserData } from './formats/tiktok-user-data.js'
import { readWacz } from './formats/wacz.js'
import { readWarc } from './formats/warc.js'
import { withoutAssignment } from './formats/x-archive.js'
import { isEntryOf } from './formats/zip-entries.js'
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

const isZip = (head: Uint8Array) => head[0] === 0x50 && head[1] === 0x4b && head[2] === 3 && head[3] === 4

/** Entry of an archive of X that names the account. */
const ACCOUNT = /(?:^|\/)account\.js$/

/** Items of the entries of an archive that have the format's data. Positions are those in the entry. */
async function* zippedItems(
  chunks: AsyncGenerator<Uint8Array>,
  format: string,
  answers: Answers,
): AsyncGenerator<unknown, void, undefined> {
  const isEntry = isEntryOf(format)
  let username = answers.username
  let entries = 0
  for await (const { name, content } of zipEntries(
    chunks,
    each => isEntry(each) || (format === 'x-archive' && ACCOUNT.test(each)),
  )) {
    if (ACCOUNT.test(name)) {
      let text = ''
      for await (const part of decodeText(content, 'utf-8')) text = (text + part).slice(0, HEAD)
      username ??= /"username"\s*:\s*"(\w+)"/.exec(text)?.[1]
      continue
    }
    entries += 1
    // An account's posts and a chat's pages may be in several files.
    if (entries > 1 && format !== 'x-archive' && format !== 'telegram-desktop-html')
      throw new RefusedError('The archive has several data files: unpack it, then choose one')
    yield* itemsOf(content, format, { ...answers, ...(username !== undefined && { username }) })
  }
  if (entries === 0) throw new RefusedError('The archive has no file of this format')
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
  if (isZip(head)) {
    yield* zippedItems(all, format, answers)
    return
  }
  if (isGzip(head)) {
    yield* itemsOf(gunzip(all), format, answers)
    return
  }
  if (format === 'warc') {
    yield* readWarc(all, answers)
    return
  }
  const texts = unixLines(decodeText(all, answers.encoding ?? declaredEncoding(head)))
  if (format === 'urls') yield* readAddresses(texts, answers)
  else if (FEEDS.has(format)) yield* readFeed(texts, answers)
  else if (format === 'telegram-desktop') yield* joinAlbums(readTelegramDesktop(texts, answers))
  else if (format === 'telegram-desktop-html') yield* readTelegramHtml(texts, answers)
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
