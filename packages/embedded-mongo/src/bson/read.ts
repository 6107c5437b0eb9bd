import { fail, MongoError } from '../errors.js'
import {
  Binary,
  Code,
  Decimal128,
  Doc,
  Double,
  maxKey,
  minKey,
  ObjectId,
  Regex,
  Sym,
  Timestamp,
  type Value,
} from './values.js'

const maxDepth = 200
const maxDate = 8_640_000_000_000_000n
const strict = new TextDecoder('utf-8', { fatal: true })

const broken = (what: string): never => fail(22, `Invalid BSON: ${what}`)

/**
 * Decodes one BSON document at an offset. Checks every length against the available bytes.
 * `only` names the top-level fields to decode; the others are skipped.
 */
export const readDoc = (bytes: Buffer, at = 0, only?: ReadonlySet<string>): Doc => {
  const reader = new Reader(bytes, at)
  return reader.document(0, only)
}

/** A selection of top-level fields by their names in UTF-8. `kept`: true to include them, false to exclude them. */
export type TopLevelFields = { names: readonly Buffer[]; kept: boolean }

/** Copies the selected top-level fields of a BSON document as bytes, without decoding values. */
export const pickFields = (bytes: Buffer, fields: TopLevelFields): Buffer => new Reader(bytes, 0).pick(fields)

/**
 * Returns the top-level fields that differ between two documents, without decoding other values. A field whose change
 * only appends elements to a non-empty array has these elements, any other field undefined.
 */
export const changedFields = (before: Buffer, now: Buffer): Map<string, Value[] | undefined> => {
  const old = new Reader(before, 0).spans()
  const changed = new Map<string, Value[] | undefined>()
  for (const [name, span] of new Reader(now, 0).spans()) {
    const was = old.get(name)
    old.delete(name)
    if (was && before.compare(now, span.from, span.to, was.from, was.to) === 0) continue
    changed.set(name, was && appended(before, was, now, span))
  }
  for (const name of old.keys()) changed.set(name, undefined)
  return changed
}

/** Decodes the elements that a field's array has after those of a non-empty previous array; else undefined. */
const appended = (before: Buffer, was: Span, now: Buffer, { from, value, to }: Span): Value[] | undefined => {
  if (before[was.from] !== arrayType || now[from] !== arrayType) return undefined
  // An array has its length, its elements and a zero.
  const start = was.value + 4
  const end = value + 4 + (was.to - 1 - start)
  if (was.to - 1 === start || end >= to) return undefined
  if (before.compare(now, value + 4, end, start, was.to - 1) !== 0) return undefined
  return new Reader(now, end).items(to - 1, 1)
}

const arrayType = 0x04

/** The offsets of a field: of its type, of its value, and of its end. */
type Span = { from: number; value: number; to: number }

/** Value sizes of the BSON types with a fixed size. */
const fixedSizes = new Map([
  [0x01, 8],
  [0x07, 12],
  [0x08, 1],
  [0x09, 8],
  [0x0a, 0],
  [0x10, 4],
  [0x11, 8],
  [0x12, 8],
  [0x13, 16],
  [0x7f, 0],
  [0xff, 0],
])

/** Returns the size of a value, including its length prefix; -1 for a type that needs decoding to be skipped. */
const valueSize = (bytes: Buffer, type: number, at: number): number => {
  switch (type) {
    case 0x02:
    case 0x0d:
    case 0x0e:
      return bytes.readInt32LE(at) + 4
    case 0x03:
    case 0x04:
    case 0x0f:
      return bytes.readInt32LE(at)
    case 0x05:
      return bytes.readInt32LE(at) + 5
    default:
      return fixedSizes.get(type) ?? -1
  }
}

/**
 * Returns whether the string at a path of a BSON document includes a text, without decoding the document. The names of
 * the path are UTF-8; the text is UTF-8 too, with a character per byte. Returns false without the field. Returns
 * undefined if the field is no string or the path contains values other than documents: then decode the document.
 */
export const stringIncludes = (
  bytes: Buffer,
  path: readonly Buffer[],
  wanted: string,
): boolean | undefined => {
  let at = 0
  for (let part = 0; part < path.length; part++) {
    const name = path[part]!
    const end = at + bytes.readInt32LE(at) - 1
    at += 4
    for (;;) {
      if (at >= end) return false
      const type = bytes[at++]!
      let i = 0
      while (i < name.length && bytes[at + i] === name[i]) i++
      const found = i === name.length && bytes[at + i] === 0
      at += i
      while (bytes[at] !== 0 && at < end) at++
      at++
      if (found) {
        if (part < path.length - 1) {
          if (type !== 0x03) return undefined
          break
        }
        if (type !== 0x02) return undefined
        const from = at + 4
        return bytes.toString('latin1', from, from + bytes.readInt32LE(at) - 1).includes(wanted)
      }
      const size = valueSize(bytes, type, at)
      if (size < 0) return undefined
      at += size
    }
  }
  return undefined
}

class Reader {
  readonly bytes: Buffer
  at: number

  constructor(bytes: Buffer, at: number) {
    this.bytes = bytes
    this.at = at
  }

  document(depth: number, only?: ReadonlySet<string>): Doc {
    const end = this.open(depth)
    const doc = new Doc()
    let fields = 0
    while (this.at < end) {
      if (fields === only?.size) {
        // All wanted fields are read: ignore the rest of the document.
        this.at = end
        break
      }
      const type = this.bytes[this.at++]!
      const name = this.name(end)
      if (only && !only.has(name)) this.skip(type, end)
      else {
        doc.set(name, this.value(type, end, depth))
        fields++
      }
    }
    if (doc.size !== fields) fail(2, 'Documents with one field name twice are not supported')
    this.close(end)
    return doc
  }

  /** Returns the offsets of the top-level fields by name. */
  spans(): Map<string, Span> {
    const end = this.open(0)
    const spans = new Map<string, Span>()
    while (this.at < end) {
      const from = this.at
      const type = this.bytes[this.at++]!
      const name = this.name(end)
      const value = this.at
      this.skip(type, end)
      spans.set(name, { from, value, to: this.at })
    }
    this.close(end)
    return spans
  }

  pick({ names, kept }: TopLevelFields): Buffer {
    const end = this.open(0)
    // The offsets of consecutive fields, which are copied together.
    const rows: number[] = []
    let size = 5
    while (this.at < end) {
      const from = this.at
      const type = this.bytes[this.at++]!
      const wanted = this.isNamed(names, end) === kept
      this.skip(type, end)
      if (!wanted) continue
      size += this.at - from
      if (rows.at(-1) === from) rows[rows.length - 1] = this.at
      else rows.push(from, this.at)
    }
    this.close(end)
    const made = Buffer.allocUnsafe(size)
    let at = made.writeInt32LE(size, 0)
    for (let i = 0; i < rows.length; i += 2) at += this.bytes.copy(made, at, rows[i], rows[i + 1])
    made[at] = 0
    return made
  }

  /** Reads a field name and returns whether `names` contain it, without decoding it. */
  private isNamed(names: readonly Buffer[], end: number): boolean {
    const { bytes } = this
    const from = this.at
    while (this.at < end && bytes[this.at] !== 0) this.at++
    if (this.at >= end) broken('field name cut off')
    const length = this.at++ - from
    return names.some(name => {
      if (name.length !== length) return false
      let i = 0
      while (i < length && bytes[from + i] === name[i]) i++
      return i === length
    })
  }

  private array(depth: number): Value[] {
    const end = this.open(depth)
    const items = this.items(end, depth)
    this.close(end)
    return items
  }

  /** Reads the elements of an array up to an offset. */
  items(end: number, depth: number): Value[] {
    const items: Value[] = []
    while (this.at < end) {
      const type = this.bytes[this.at++]!
      while (this.at < end && this.bytes[this.at] !== 0) this.at++
      this.at++
      items.push(this.value(type, end, depth))
    }
    return items
  }

  /** Reads a document's length. Returns the offset of its terminating zero. */
  private open(depth: number): number {
    if (depth > maxDepth) throw new MongoError(15, `Exceeded maximum BSON depth of ${maxDepth}`)
    if (this.at + 5 > this.bytes.length) broken('document cut off')
    const size = this.bytes.readInt32LE(this.at)
    const end = this.at + size - 1
    if (size < 5 || end >= this.bytes.length || this.bytes[end] !== 0) broken(`document length ${size}`)
    this.at += 4
    return end
  }

  private close(end: number) {
    if (this.at !== end) broken('a value runs over its document')
    this.at++
  }

  private take(count: number, end: number): number {
    const from = this.at
    if (count < 0 || from + count > end) broken('value cut off')
    this.at = from + count
    return from
  }

  private name(end: number): string {
    const { bytes } = this
    const from = this.at
    let to = from
    let ascii = true
    while (to < end) {
      const byte = bytes[to]!
      if (byte === 0) break
      if (byte > 127) ascii = false
      to++
    }
    if (to >= end) broken('field name cut off')
    this.at = to + 1
    return ascii ? bytes.toString('latin1', from, to) : this.text(from, to)
  }

  private text(from: number, to: number): string {
    const text = this.bytes.toString('utf8', from, to)
    if (text.includes('\uFFFD')) {
      try {
        strict.decode(this.bytes.subarray(from, to))
      } catch {
        broken('text is not UTF-8')
      }
    }
    return text
  }

  private string(end: number): string {
    const size = this.bytes.readInt32LE(this.take(4, end))
    if (size < 1) broken(`string length ${size}`)
    const from = this.take(size, end)
    if (this.bytes[from + size - 1] !== 0) broken('string without its closing zero')
    return this.text(from, from + size - 1)
  }

  private skip(type: number, end: number) {
    switch (type) {
      case 0x02:
      case 0x0d:
      case 0x0e:
        this.take(this.bytes.readInt32LE(this.take(4, end)), end)
        break
      case 0x03:
      case 0x04:
      case 0x0f: {
        const size = this.bytes.readInt32LE(this.take(4, end))
        this.take(size - 4, end)
        break
      }
      case 0x05: {
        const size = this.bytes.readInt32LE(this.take(4, end))
        this.take(size + 1, end)
        break
      }
      case 0x01:
      case 0x09:
      case 0x11:
      case 0x12:
        this.take(8, end)
        break
      case 0x07:
        this.take(12, end)
        break
      case 0x10:
        this.take(4, end)
        break
      default:
        this.value(type, end, 0)
    }
  }

  private value(type: number, end: number, depth: number): Value {
    const { bytes } = this
    switch (type) {
      case 0x01:
        return new Double(bytes.readDoubleLE(this.take(8, end)))
      case 0x02:
        return this.string(end)
      case 0x03: {
        const doc = this.document(depth + 1)
        if (this.at > end) broken('document runs over its parent')
        return doc
      }
      case 0x04: {
        const items = this.array(depth + 1)
        if (this.at > end) broken('array runs over its parent')
        return items
      }
      case 0x05: {
        const size = bytes.readInt32LE(this.take(4, end))
        const subtype = bytes[this.take(1, end)]!
        const from = this.take(size, end)
        return new Binary(subtype, Buffer.from(bytes.subarray(from, from + size)))
      }
      case 0x07: {
        const from = this.take(12, end)
        const id = Buffer.allocUnsafe(12)
        // Faster than `copy` for so few bytes; a document may have thousands of ids.
        for (let i = 0; i < 12; i++) id[i] = bytes[from + i]!
        return new ObjectId(id)
      }
      case 0x08: {
        const flag = bytes[this.take(1, end)]
        if (flag !== 0 && flag !== 1) broken('boolean')
        return flag === 1
      }
      case 0x09: {
        const ms = bytes.readBigInt64LE(this.take(8, end))
        if (ms > maxDate || ms < -maxDate) fail(2, 'Dates beyond ±8.64e15 ms are not supported')
        return new Date(Number(ms))
      }
      case 0x0a:
        return null
      case 0x0b: {
        const pattern = this.name(end)
        return new Regex(pattern, this.name(end))
      }
      case 0x0d:
        return new Code(this.string(end))
      case 0x0e:
        return new Sym(this.string(end))
      case 0x0f: {
        const from = this.take(4, end)
        const size = bytes.readInt32LE(from)
        const code = this.string(end)
        const scope = this.document(depth + 1)
        if (this.at !== from + size || this.at > end) broken('code with scope')
        return new Code(code, scope)
      }
      case 0x10:
        return bytes.readInt32LE(this.take(4, end))
      case 0x11: {
        const from = this.take(8, end)
        return new Timestamp(bytes.readUInt32LE(from + 4), bytes.readUInt32LE(from))
      }
      case 0x12:
        return bytes.readBigInt64LE(this.take(8, end))
      case 0x13: {
        const from = this.take(16, end)
        return new Decimal128(Buffer.from(bytes.subarray(from, from + 16)))
      }
      case 0xff:
        return minKey
      case 0x7f:
        return maxKey
      case 0x06:
      case 0x0c:
        return fail(2, `The deprecated BSON type ${type === 6 ? 'undefined' : 'dbPointer'} is not supported`)
      default:
        return broken(`unknown type ${type}`)
    }
  }
}
