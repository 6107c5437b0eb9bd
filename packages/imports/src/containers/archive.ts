import { Inflate } from 'fflate'
import { isWacz } from '../formats/wacz.js'
import { RefusedError } from '../refused.js'
import { joinBytes } from '../text/decode.js'
import { isSafeName, zipEntries, zipHeaders } from './zip.js'

/** Bytes of the pages of a Telegram export, which are sorted before they are read. */
const PAGES_MAX = 64 * 2 ** 20

/** Entries with the data of a format, in the order of preference: an export of Telegram may hold both of its forms. */
const DATA: readonly (readonly [format: string, entries: RegExp])[] = [
  ['telegram-desktop', /(?:^|\/)result\.json$/],
  ['telegram-desktop-html', /(?:^|\/)messages\d*\.html$/],
  ['tiktok-user-data', /(?:^|\/)user_data(?:_tiktok)?\.json$/i],
  ['x-archive', /(?:^|\/)tweets?(?:-part\d+)?\.js$/],
  ['activitypub', /(?:^|\/)outbox\.json$/],
]
/** Other data files. Beside them, 4CAT and Mastodon write files about them. */
const OTHER = /\.(?:ndjson|jsonl|json|csv|tsv|tab)$/i
const BESIDE = /(?:^|\/)(?:[^/]*[_.-]metadata\.json|actor\.json|likes\.json|bookmarks\.json|manifest\.json)$/i
const isOther = (name: string) => OTHER.test(name) && !BESIDE.test(name)

/** Returns whether an entry of an archive contains the data of a format. */
const isDataOf = (format: string): ((name: string) => boolean) => {
  const [, entries] = DATA.find(([name]) => name === format) ?? []
  return entries ? name => entries.test(name) : isOther
}

/** What the first bytes of a zip file show. */
export type ArchiveHead =
  | { kind: 'wacz' | 'workbook' | 'unknown' }
  /** The first bytes of an entry, by which its format is recognised. */
  | { kind: 'entry'; name: string; head: Uint8Array; isWhole: boolean }

/** Returns the unpacked beginning of an entry. */
const unpackedHead = (packed: Uint8Array, method: number): Uint8Array => {
  if (method === 0) return packed
  const parts: Uint8Array[] = []
  let length = 0
  const inflate = new Inflate(chunk => {
    length += chunk.length
    parts.push(chunk.slice())
  })
  try {
    for (let at = 0; at < packed.length && length < 65_536; at += 512)
      inflate.push(packed.subarray(at, at + 512))
  } catch {
    // What is unpacked so far is recognised.
  }
  return joinBytes(parts)
}

/** Recognises a zip file by the names of its first entries. */
export const archiveHead = (head: Uint8Array): ArchiveHead => {
  const headers = zipHeaders(head).filter(({ name }) => isSafeName(name))
  const names = headers.map(({ name }) => name)
  if (names.includes('[Content_Types].xml')) return { kind: 'workbook' }
  if (isWacz(names)) return { kind: 'wacz' }
  const known = DATA.flatMap(([, entries]) => headers.filter(({ name }) => entries.test(name)))
  const [entry] = [...known, ...headers.filter(({ name }) => isOther(name))]
  if (!entry) return { kind: 'unknown' }
  const { name, start, end, method } = entry
  return {
    kind: 'entry',
    name,
    head: unpackedHead(head.subarray(start, end), method),
    isWhole: end !== undefined && end <= head.length,
  }
}

const numberOf = (name: string) => Number(/(\d*)\.html$/.exec(name)?.[1] || 1)

/** Holds the pages of a Telegram export, and returns them by their number. */
const sortedPages = async (chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array[]> => {
  const pages: { name: string; bytes: Uint8Array }[] = []
  let length = 0
  for await (const { name, content } of zipEntries(chunks, isDataOf('telegram-desktop-html'))) {
    const parts: Uint8Array[] = []
    for await (const part of content) {
      length += part.length
      if (length > PAGES_MAX)
        throw new RefusedError('The pages of the export have more than 64 MiB: export the chat as JSON')
      parts.push(part)
    }
    pages.push({ name, bytes: joinBytes(parts) })
  }
  return pages.sort((a, b) => numberOf(a.name) - numberOf(b.name)).map(({ bytes }) => bytes)
}

async function* one(bytes: Uint8Array): AsyncGenerator<Uint8Array, void, undefined> {
  yield bytes
}

/**
 * Reads the data of a format in a zip file.
 * @param read reads the contents of an entry
 * @throws RefusedError if the archive has several data files, or none
 */
export async function* readArchive<T>(
  chunks: AsyncIterable<Uint8Array>,
  format: string,
  read: (content: AsyncGenerator<Uint8Array, void, undefined>) => AsyncIterable<T>,
): AsyncGenerator<T, void, undefined> {
  let entries = 0
  if (format === 'telegram-desktop-html')
    for (const page of await sortedPages(chunks)) {
      entries += 1
      yield* read(one(page))
    }
  else
    for await (const { content } of zipEntries(chunks, isDataOf(format))) {
      entries += 1
      // The account's posts may be in several files.
      if (entries > 1 && format !== 'x-archive')
        throw new RefusedError('The archive has several data files: unpack it, then choose one')
      yield* read(content)
    }
  if (entries === 0) throw new RefusedError('The archive has no data file that can be read')
}
