import { CATEGORIES, type Category } from '@iodine/contracts'
import { type ValueKey, valueKey } from '../scan/index.js'
import { framed, readId, unframed, writeId } from './frame.js'

/** Bytes of an IOD's row in the overlay. */
export const OVERLAY_ROW_BYTES = 34
const HEAD_BYTES = 32
/** 'IODK'. */
const MAGIC = 0x494f444b
const VERSION = 1
const UNKNOWN = 255

/** Votes of each side, weighted by their independence. */
export interface Independent {
  for: number
  against: number
}

export interface OverlayIod {
  id: string
  value: string
  category: Category
  votes_for: number
  votes_against: number
  /** Undefined if unknown. */
  independent?: Independent | undefined
}

/** A decoded row. Votes saturate at 255, independent votes at 25.4. */
export interface OverlayEntry extends Omit<OverlayIod, 'value'> {
  key: ValueKey
}

/*
 * Byte offsets of a row's fields; numbers are little-endian:
 *   0 id · 12 category · 13 votes for · 14 votes against · 15 independent for, in tenths · 16 the same against
 *   17 zero · 18 lead · 20 length · 22 anchor · 26 first hash · 30 second hash
 */
const viewOf = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)

const tenths = (votes: number | undefined): number =>
  votes === undefined ? UNKNOWN : Math.min(UNKNOWN - 1, Math.round(10 * votes))

/** Encodes an IOD's row; returns undefined for a value that cannot occur in a text, such as white space. */
export const overlayRow = (iod: OverlayIod): Uint8Array<ArrayBuffer> | undefined => {
  const key = valueKey(iod)
  if (!key) return undefined
  const row = new Uint8Array(OVERLAY_ROW_BYTES)
  const view = viewOf(row)
  writeId(row, 0, iod.id)
  row[12] = CATEGORIES.indexOf(iod.category)
  row[13] = Math.min(255, iod.votes_for)
  row[14] = Math.min(255, iod.votes_against)
  row[15] = tenths(iod.independent?.for)
  row[16] = tenths(iod.independent?.against)
  view.setUint16(18, key.lead, true)
  view.setUint16(20, key.length, true)
  view.setUint32(22, key.anchor, true)
  view.setUint32(26, key.first, true)
  view.setUint32(30, key.second, true)
  return row
}

/** Read access to concatenated rows. */
export class OverlayRows {
  readonly bytes: Uint8Array
  readonly #view: DataView

  constructor(bytes: Uint8Array) {
    this.bytes = bytes
    this.#view = viewOf(bytes)
  }

  get count(): number {
    return this.bytes.length / OVERLAY_ROW_BYTES
  }

  keyAt(n: number): ValueKey {
    const at = n * OVERLAY_ROW_BYTES
    return {
      lead: this.#view.getUint16(at + 18, true),
      length: this.#view.getUint16(at + 20, true),
      anchor: this.#view.getUint32(at + 22, true),
      first: this.#view.getUint32(at + 26, true),
      second: this.#view.getUint32(at + 30, true),
    }
  }

  entryAt(n: number): OverlayEntry {
    const at = n * OVERLAY_ROW_BYTES
    const byte = (offset: number) => this.bytes[at + offset] as number
    return {
      id: readId(this.bytes, at),
      category: CATEGORIES[byte(12)] as Category,
      votes_for: byte(13),
      votes_against: byte(14),
      independent: byte(15) === UNKNOWN ? undefined : { for: byte(15) / 10, against: byte(16) / 10 },
      key: this.keyAt(n),
    }
  }
}

const compareIds = (a: Uint8Array, atA: number, b: Uint8Array, atB: number): number => {
  for (let n = 0; n < 12; n++) {
    const difference = (a[atA + n] as number) - (b[atB + n] as number)
    if (difference !== 0) return difference
  }
  return 0
}

/** Merges rows by id; rows of `newer` replace those of `older`. Both must be sorted by id, as is the result. */
export const mergeRows = (older: Uint8Array, newer: Uint8Array): Uint8Array<ArrayBuffer> => {
  const merged = new Uint8Array(older.length + newer.length)
  let at = 0
  let a = 0
  let b = 0
  const take = (from: Uint8Array, start: number) => {
    merged.set(from.subarray(start, start + OVERLAY_ROW_BYTES), at)
    at += OVERLAY_ROW_BYTES
    return start + OVERLAY_ROW_BYTES
  }
  while (a < older.length && b < newer.length) {
    const order = compareIds(older, a, newer, b)
    if (order < 0) a = take(older, a)
    else {
      b = take(newer, b)
      if (order === 0) a += OVERLAY_ROW_BYTES
    }
  }
  merged.set(older.subarray(a), at)
  at += older.length - a
  merged.set(newer.subarray(b), at)
  return merged.slice(0, at + newer.length - b)
}

export interface Overlay {
  /** Time of the latest change in the rows, in milliseconds since 1970. */
  revision: number
  /** 0 if the rows are all IODs; else they are the changes since shortly before this revision. */
  since: number
  /** Rows, sorted by id. */
  rows: Uint8Array
}

/** Encodes an overlay: head, rows and SHA-256. */
export const encodeOverlay = ({ revision, since, rows }: Overlay): Promise<Uint8Array<ArrayBuffer>> => {
  const head = new Uint8Array(HEAD_BYTES)
  const view = viewOf(head)
  view.setUint32(0, MAGIC)
  view.setUint8(4, VERSION)
  view.setUint16(6, OVERLAY_ROW_BYTES, true)
  view.setFloat64(8, revision, true)
  view.setFloat64(16, since, true)
  view.setUint32(24, rows.length / OVERLAY_ROW_BYTES, true)
  return framed([head, rows])
}

/**
 * Decodes an overlay.
 * @throws RangeError if the bytes are damaged, truncated or of another version
 */
export const decodeOverlay = async (bytes: Uint8Array<ArrayBuffer>): Promise<Overlay> => {
  const content = await unframed(bytes)
  if (content.length < HEAD_BYTES) throw new RangeError('no overlay')
  const view = viewOf(content)
  const rows = content.subarray(HEAD_BYTES)
  if (
    view.getUint32(0) !== MAGIC ||
    view.getUint8(4) !== VERSION ||
    view.getUint16(6, true) !== OVERLAY_ROW_BYTES ||
    view.getUint32(24, true) * OVERLAY_ROW_BYTES !== rows.length
  )
    throw new RangeError('no overlay of this version')
  return { revision: view.getFloat64(8, true), since: view.getFloat64(16, true), rows }
}
