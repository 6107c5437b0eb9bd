import type { SliceLimits, Span } from '../json/scanner.js'
import { sliceObjects } from '../json/slices.js'
import { type Entry, fromCsv, type Row, readEntry, readHead, readRow, UnreadableFile } from '../read.js'
import { parseObject } from '../stix/read.js'
import type { KnownPiece, OpenedFile } from './opened.js'

/** Bytes of a CSV file: it is read at once. */
const CSV_BYTES = 8_388_608

const textOf = (bytes: Uint8Array): string => {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new UnreadableFile('The file is not UTF-8.')
  }
}

/** Opens a JSON file of ours, with IODs under `iods`. Throws UnreadableFile. */
export function* openJson(bytes: Uint8Array, limits: SliceLimits): Generator<void, OpenedFile> {
  const { spans, envelope } = yield* sliceObjects(bytes, limits, 'iods')
  const file: unknown = JSON.parse(envelope)
  if (Array.isArray(file))
    throw new UnreadableFile('The file is neither a campaign export nor a STIX bundle.')
  for (const [n, [start, end]] of spans.entries()) {
    parseObject(textOf(bytes.subarray(start, end)), n + 1)
    if (n % 100 === 99) yield
  }
  return { bytes, spans, markings: new Map(), ...readHead(file) }
}

/** Opens a CSV file with a header row; its pieces are its rows in JSON. Throws UnreadableFile. */
export function openCsv(file: Uint8Array, limits: SliceLimits): OpenedFile {
  if (file.length > CSV_BYTES) throw new UnreadableFile(`A CSV file has at most ${CSV_BYTES} bytes.`)
  const rows = fromCsv(textOf(file))
  if (rows.length > limits.objects)
    throw new UnreadableFile(`The file has more than ${limits.objects} objects.`)
  const encoder = new TextEncoder()
  const pieces = rows.map(row => encoder.encode(JSON.stringify(row)))
  const spans: Span[] = []
  let end = 0
  for (const { length } of pieces) {
    spans.push([end, end + length])
    end += length
  }
  const bytes = new Uint8Array(end)
  for (const [n, piece] of pieces.entries()) bytes.set(piece, spans[n]?.[0])
  return { bytes, spans, markings: new Map(), tlp: null, techniques: [] }
}

const pieceOf = (entry: Entry): KnownPiece => ({
  key: '',
  version: '',
  type: 'iod',
  tlp: entry.tlp ?? null,
  refs: [],
  techniques: [],
  ...(entry.iod
    ? { iod: entry.iod, ...(entry.evidence && { evidence: entry.evidence }) }
    : { reason: entry.reason }),
})

/** What is known of an entry of a JSON file. */
export const readJsonPiece = (entry: unknown, order: number, tlp: OpenedFile['tlp']): KnownPiece =>
  pieceOf(readEntry(entry, order, tlp))

/** What is known of a row of a CSV file. */
export const readCsvPiece = (row: unknown): KnownPiece => pieceOf(readRow(row as Row))
