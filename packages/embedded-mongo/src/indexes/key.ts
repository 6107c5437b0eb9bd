import { createHash } from 'node:crypto'
import { besideDouble, decimalDigits, toDouble } from '../bson/numbers.js'
import { readDoc } from '../bson/read.js'
import {
  type Binary,
  type Code,
  Doc,
  type Numeric,
  type ObjectId,
  order,
  orderOf,
  RawDoc,
  type Regex,
  Sym,
  type Timestamp,
  type Value,
} from '../bson/values.js'

/** LMDB's keys have at most 1,978 bytes. Keys beyond this length are truncated and end in a hash. */
const longest = 1900
const hashSize = 20

/** The key value of an empty array, which sorts before null. */
export const emptyArray = Symbol('empty array')
export type KeyValue = Value | undefined | typeof emptyArray

let out = Buffer.allocUnsafe(4096)
let at = 0

const room = (count: number) => {
  if (at + count <= out.length) return
  const larger = Buffer.allocUnsafe(Math.max(out.length * 2, at + count))
  out.copy(larger, 0, 0, at)
  out = larger
}

const byte = (value: number) => {
  room(1)
  out[at++] = value
}

/** Writes a text, terminated by 00 00; an inner 00 becomes 00 FF, so that the bytes sort like the texts. */
const text = (value: string) => {
  room(value.length * 3 + 2)
  const from = at
  at += out.write(value, at, 'utf8')
  if (value.includes('\0')) {
    const plain = Buffer.from(out.subarray(from, at))
    at = from
    for (const one of plain) {
      byte(one)
      if (one === 0) byte(255)
    }
  }
  byte(0)
  byte(0)
}

const double = (value: number) => {
  room(8)
  out.writeDoubleBE(value === 0 ? 0 : value, at)
  if (out[at]! & 0x80) for (let i = 0; i < 8; i++) out[at + i] = ~out[at + i]! & 255
  else out[at]! |= 0x80
  at += 8
}

/**
 * Writes the nearest double, then whether the number is below (0x7f), equal to (0x80) or above (0x81) it, then, unless
 * equal, the decimal digits. Equal numbers of different types have the same key.
 */
const number = (value: Numeric) => {
  const rounded = toDouble(value)
  if (Number.isNaN(rounded)) {
    byte(0)
    return
  }
  byte(1)
  double(rounded)
  const side = besideDouble(value, rounded)
  byte(0x80 + side)
  if (side === 0) return
  const { exponent, digits, negative } = decimalDigits(value)
  const from = at
  byte((exponent + 0x8000) >> 8)
  byte((exponent + 0x8000) & 255)
  for (const digit of digits) byte(Number(digit) + 1)
  byte(0)
  if (negative) for (let i = from; i < at; i++) out[i] = ~out[i]! & 255
}

const encode = (value: KeyValue) => {
  if (value === emptyArray) {
    byte(order.undefined)
    return
  }
  const kind = orderOf(value)
  byte(kind)
  switch (kind) {
    case order.number:
      number(value as Numeric)
      break
    case order.string:
      text(value instanceof Sym ? value.text : (value as string))
      break
    case order.object:
      document(value instanceof RawDoc ? readDoc(value.bytes) : (value as Doc))
      break
    case order.array:
      for (const item of value as Value[]) encode(item)
      byte(0)
      break
    case order.binary: {
      const { bytes, subtype } = value as Binary
      room(5 + bytes.length)
      at = out.writeUInt32BE(bytes.length, at)
      out[at++] = subtype
      at += bytes.copy(out, at)
      break
    }
    case order.objectId:
      room(12)
      at += (value as ObjectId).bytes.copy(out, at)
      break
    case order.boolean:
      byte(value ? 1 : 0)
      break
    case order.date:
      double((value as Date).getTime())
      break
    case order.timestamp:
      room(8)
      at = out.writeUInt32BE((value as Timestamp).seconds, at)
      at = out.writeUInt32BE((value as Timestamp).ordinal, at)
      break
    case order.regex:
      text((value as Regex).pattern)
      text((value as Regex).options)
      break
    case order.code:
    case order.codeWithScope:
      text((value as Code).code)
      if (kind === order.codeWithScope) document((value as Code).scope ?? new Doc())
      break
    default:
  }
}

const document = (doc: Doc) => {
  for (const [name, value] of doc) {
    byte(orderOf(value))
    text(name)
    encode(value)
  }
  byte(0)
}

/**
 * Encodes values, one per field of an index, as bytes that sort like the values (in each field's direction). Bytes that
 * are too long end in a hash: they are equal for equal values, but not ordered.
 * @returns `cut`: the number of bytes of the first value if the key was truncated, else infinite
 */
export const encodeKey = (
  values: readonly KeyValue[],
  directions: readonly number[],
): { bytes: Buffer; cut: number } => {
  at = 0
  let first = 0
  for (let i = 0; i < values.length; i++) {
    const from = at
    encode(values[i])
    if (directions[i]! < 0) for (let j = from; j < at; j++) out[j] = ~out[j]! & 255
    if (i === 0) first = at
  }
  const isCut = at > longest
  const bytes = Buffer.from(out.subarray(0, isCut ? longest + hashSize : at))
  if (isCut) createHash('sha1').update(out.subarray(0, at)).digest().copy(bytes, longest)
  if (out.length > 1 << 22) out = Buffer.allocUnsafe(4096)
  return { bytes, cut: isCut ? first : Number.POSITIVE_INFINITY }
}

/** Encodes a bound, truncated like stored keys, but without a hash. */
export const encodeBound = (value: KeyValue, direction: number): Buffer => {
  at = 0
  encode(value)
  if (direction < 0) for (let j = 0; j < at; j++) out[j] = ~out[j]! & 255
  return Buffer.from(out.subarray(0, at))
}

/** Returns the first bytes of a type class's keys, and the first bytes after them. */
export const classBounds = (kind: number, direction: number): [Buffer, Buffer] =>
  direction < 0
    ? [Buffer.from([~kind & 255]), Buffer.from([(~kind & 255) + 1])]
    : [Buffer.from([kind]), Buffer.from([kind + 1])]

/** Returns the bounds of all numbers except NaN, which has the smallest key. */
export const numberBounds = (direction: number): [Buffer, Buffer] => {
  const [first, last] = classBounds(order.number, direction)
  return direction < 0 ? [first, Buffer.from([first[0]!, 255])] : [Buffer.from([first[0]!, 1]), last]
}

export const longestKey = longest

/**
 * A range of index keys.
 * - `to`: exclusive; empty for the end of the index.
 * - `exact`: `from` is a complete key.
 * - `points`: number of bytes of the common prefix of its keys, which are the values of the fields before a sort.
 * - `lead`: the values in that prefix by which the sort begins.
 */
export type Range = { from: Buffer; to: Buffer; exact?: boolean; points?: number; lead?: Buffer }

/** Returns the first bytes after all keys with this prefix. */
export const after = (prefix: Buffer): Buffer => {
  const next = Buffer.from(prefix)
  for (let i = next.length - 1; i >= 0; i--) {
    if (next[i] !== 255) {
      next[i]!++
      return next.subarray(0, i + 1)
    }
  }
  return Buffer.concat([prefix, Buffer.alloc(16, 255)])
}
