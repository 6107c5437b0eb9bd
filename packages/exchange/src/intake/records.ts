import { commentOfNote } from '../comments.js'
import { techniqueOf } from '../disarm/read.js'
import type { SliceLimits, Span } from '../json/scanner.js'
import { sliceObjects } from '../json/slices.js'
import {
  createDuplicateCheck,
  type Entry,
  fromCsv,
  quoteOfNote,
  readEntry,
  readHead,
  readIndicator,
  readRow,
  UnreadableFile,
} from '../read.js'
import { parseObject, readStixObject } from '../stix/read.js'
import type { OpenedFile, ParsedPiece } from './opened.js'

/** Objects after which the generator yields, so that other work can run. */
const YIELD_OBJECTS = 100
/** Maximum bytes of a CSV file, which is parsed in one step. */
const CSV_BYTES = 8_388_608

/** Decodes a file: UTF-8, or UTF-16 with a byte order mark ("Unicode text" of spreadsheets). */
const textOf = (bytes: Uint8Array): string => {
  const [first, second] = bytes
  const isWide = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)
  const encoding = isWide ? (first === 0xff ? 'utf-16le' : 'utf-16be') : 'utf-8'
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes)
  } catch {
    throw new UnreadableFile('The file is not UTF-8.')
  }
}

/** Builds an opened file whose pieces are its entries, in JSON. */
class EntryFile {
  readonly #pieces: Uint8Array[] = []
  readonly #encoder = new TextEncoder()
  readonly #rejectDuplicate = createDuplicateCheck()

  add(entry: Entry): void {
    this.#pieces.push(this.#encoder.encode(JSON.stringify(this.#rejectDuplicate(entry))))
  }

  open(head: Pick<OpenedFile, 'tlp' | 'techniques'>): OpenedFile {
    const spans: Span[] = []
    let end = 0
    for (const { length } of this.#pieces) {
      spans.push([end, end + length])
      end += length
    }
    const bytes = new Uint8Array(end)
    for (const [n, piece] of this.#pieces.entries()) bytes.set(piece, spans[n]?.[0])
    return { bytes, spans, skipped: [], markings: new Map(), ...head }
  }
}

/**
 * Opens a JSON file of Iodine, with IODs under `iods`.
 * @throws UnreadableFile
 */
export function* openJson(bytes: Uint8Array, limits: SliceLimits): Generator<void, OpenedFile> {
  const { spans, skipped, envelope } = yield* sliceObjects(bytes, limits, 'iods')
  const file: unknown = JSON.parse(envelope)
  if (Array.isArray(file))
    throw new UnreadableFile('The file is neither a campaign export nor a STIX bundle.')
  const head = readHead(file)
  const entries = new EntryFile()
  for (const each of skipped) entries.add(each)
  for (const [n, [start, end]] of spans.entries()) {
    entries.add(readEntry(parseObject(textOf(bytes.subarray(start, end)), n + 1), n, head.tlp))
    if (n % YIELD_OBJECTS === YIELD_OBJECTS - 1) yield
  }
  return entries.open(head)
}

/**
 * Opens a CSV file with a header row.
 * @throws UnreadableFile
 */
export function openCsv(file: Uint8Array, limits: SliceLimits): OpenedFile {
  if (file.length > CSV_BYTES) throw new UnreadableFile(`A CSV file has at most ${CSV_BYTES} bytes.`)
  const rows = fromCsv(textOf(file))
  if (rows.length > limits.objects)
    throw new UnreadableFile(`The file has more than ${limits.objects} objects.`)
  const entries = new EntryFile()
  for (const row of rows) entries.add(readRow(row))
  return entries.open({ tlp: null, techniques: [] })
}

/** Converts a STIX bundle of Iodine to pieces of format `json`: its indicators, with the evidence and comments in its notes. */
export function* openOwnBundle({ bytes, spans, markings }: OpenedFile): Generator<void, OpenedFile> {
  const evidence = new Map<unknown, object[]>()
  const comments = new Map<unknown, object[]>()
  const addTo = (lists: Map<unknown, object[]>, ids: unknown[], item: object) => {
    for (const id of ids) {
      const list = lists.get(id) ?? []
      list.push(item)
      lists.set(id, list)
    }
  }
  const techniques = new Set<string>()
  const objectOf = ([start, end]: Span, n: number) => parseObject(textOf(bytes.subarray(start, end)), n + 1)
  for (const [n, span] of spans.entries()) {
    const object = objectOf(span, n)
    const technique = object.type === 'attack-pattern' ? techniqueOf(object) : undefined
    if (technique) techniques.add(technique)
    const quoted = quoteOfNote(object)
    if (quoted) addTo(evidence, quoted.about, quoted.quote)
    const written = commentOfNote(object)
    if (written) addTo(comments, written.about, written.comment)
    if (n % YIELD_OBJECTS === YIELD_OBJECTS - 1) yield
  }
  const entries = new EntryFile()
  let index = 0
  for (const [n, span] of spans.entries()) {
    const object = objectOf(span, n)
    if (object.type === 'indicator') {
      const { tlp } = readStixObject(object, markings)
      const about = { evidence: evidence.get(object.id), comments: comments.get(object.id), tlp }
      entries.add(readIndicator(object, index++, about))
    }
    if (n % YIELD_OBJECTS === YIELD_OBJECTS - 1) yield
  }
  return { ...entries.open({ tlp: null, techniques: [...techniques] }), isOwn: true }
}

/** Returns the properties of an entry's piece. */
export const readEntryPiece = (piece: unknown): ParsedPiece => {
  const entry = piece as Entry
  return {
    key: '',
    version: '',
    type: 'iod',
    tlp: entry.tlp ?? null,
    refs: [],
    techniques: [],
    place: entry.place,
    ...(entry.iod
      ? {
          iod: entry.iod,
          ...(entry.evidence && { evidence: entry.evidence }),
          ...(entry.comments && { comments: entry.comments }),
        }
      : { value: entry.value, reason: entry.reason }),
  }
}
