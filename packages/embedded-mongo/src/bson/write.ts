import { fail } from '../errors.js'
import {
  Binary,
  Code,
  Decimal128,
  Doc,
  Double,
  MinKey,
  ObjectId,
  RawDoc,
  Regex,
  Sym,
  Timestamp,
  type Value,
} from './values.js'

let out = Buffer.allocUnsafe(1 << 16)
let at = 0

/** Encodes a document as BSON. */
export const writeDoc = (doc: Doc): Buffer => {
  at = 0
  document(doc, 0)
  const bytes = Buffer.from(out.subarray(0, at))
  if (out.length > 1 << 24) out = Buffer.allocUnsafe(1 << 16)
  return bytes
}

const room = (count: number) => {
  if (at + count <= out.length) return
  const larger = Buffer.allocUnsafe(Math.max(out.length * 2, at + count))
  out.copy(larger, 0, 0, at)
  out = larger
}

const document = (doc: Doc, depth: number) => {
  if (depth > 200) fail(15, 'Exceeded maximum BSON depth of 200')
  const from = at
  room(5)
  at += 4
  for (const [name, value] of doc) element(name, value, depth)
  room(1)
  out[at++] = 0
  out.writeInt32LE(at - from, from)
}

const array = (items: readonly Value[], depth: number) => {
  if (depth > 200) fail(15, 'Exceeded maximum BSON depth of 200')
  const from = at
  room(5)
  at += 4
  for (let i = 0; i < items.length; i++) element(String(i), items[i]!, depth)
  room(1)
  out[at++] = 0
  out.writeInt32LE(at - from, from)
}

const cstring = (text: string) => {
  if (text.includes('\0')) fail(4940400, 'Field names and regular expressions cannot contain a null byte')
  room(text.length * 3 + 1)
  at += out.write(text, at, 'utf8')
  out[at++] = 0
}

const string = (text: string) => {
  room(text.length * 3 + 5)
  const size = out.write(text, at + 4, 'utf8')
  out.writeInt32LE(size + 1, at)
  at += 4 + size
  out[at++] = 0
}

const element = (name: string, value: Value, depth: number) => {
  room(1)
  const type = at++
  cstring(name)
  room(32)
  // Two statements, because writing the value may reallocate `out`.
  const kind = body(value, depth)
  out[type] = kind
}

const raw = (bytes: Buffer) => {
  room(bytes.length)
  at += bytes.copy(out, at)
}

/** Writes a value's bytes. Returns its BSON type. */
const body = (value: Value, depth: number): number => {
  switch (typeof value) {
    case 'string':
      string(value)
      return 0x02
    case 'number':
      if (!Number.isInteger(value)) throw new Error(`not an int32: ${value}`)
      at = out.writeInt32LE(value, at)
      return 0x10
    case 'bigint':
      at = out.writeBigInt64LE(value, at)
      return 0x12
    case 'boolean':
      out[at++] = value ? 1 : 0
      return 0x08
    default:
  }
  if (value === null) return 0x0a
  if (value instanceof Doc) {
    document(value, depth + 1)
    return 0x03
  }
  if (value instanceof RawDoc) {
    raw(value.bytes)
    return 0x03
  }
  if (Array.isArray(value)) {
    array(value, depth + 1)
    return 0x04
  }
  if (value instanceof Double) {
    at = out.writeDoubleLE(value.value, at)
    return 0x01
  }
  if (value instanceof Date) {
    at = out.writeBigInt64LE(BigInt(value.getTime()), at)
    return 0x09
  }
  if (value instanceof ObjectId) {
    raw(value.bytes)
    return 0x07
  }
  if (value instanceof Decimal128) {
    raw(Buffer.from(value.bytes))
    return 0x13
  }
  if (value instanceof Binary) {
    at = out.writeInt32LE(value.bytes.length, at)
    out[at++] = value.subtype
    raw(value.bytes)
    return 0x05
  }
  if (value instanceof Timestamp) {
    at = out.writeUInt32LE(value.ordinal, at)
    at = out.writeUInt32LE(value.seconds, at)
    return 0x11
  }
  if (value instanceof Regex) {
    cstring(value.pattern)
    cstring(value.options)
    return 0x0b
  }
  if (value instanceof Sym) {
    string(value.text)
    return 0x0e
  }
  if (value instanceof Code) {
    if (!value.scope) {
      string(value.code)
      return 0x0d
    }
    const from = at
    at += 4
    string(value.code)
    document(value.scope, depth + 1)
    out.writeInt32LE(at - from, from)
    return 0x0f
  }
  return value instanceof MinKey ? 0xff : 0x7f
}
