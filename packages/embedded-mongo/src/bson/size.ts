import { Binary, Code, Decimal128, Doc, ObjectId, RawDoc, Regex, Sym, type Value } from './values.js'

/** The largest stored document, in bytes. */
export const maxDocumentSize = 16 * 1024 * 1024
/** The largest document in a reply: a stored document plus overhead. */
export const maxResultSize = maxDocumentSize + 16 * 1024
/** The size limit of an accumulated value: an array of `$group`, or the documents of a `$lookup`. */
export const maxGathered = 100 * 1024 * 1024

/** Returns the BSON size of a value in bytes, without its type and name. */
export const sizeOf = (value: Value): number => {
  switch (typeof value) {
    case 'string':
      return Buffer.byteLength(value) + 5
    case 'number':
      return 4
    case 'boolean':
      return 1
    case 'bigint':
      return 8
    default:
  }
  if (value instanceof Doc) {
    let size = 5
    for (const [name, inner] of value) size += 2 + Buffer.byteLength(name) + sizeOf(inner)
    return size
  }
  if (Array.isArray(value)) {
    let size = 5
    for (let i = 0; i < value.length; i++) size += 2 + String(i).length + sizeOf(value[i]!)
    return size
  }
  if (value instanceof RawDoc) return value.bytes.length
  if (value instanceof Binary) return value.bytes.length + 5
  if (value instanceof ObjectId) return 12
  if (value instanceof Decimal128) return 16
  if (value instanceof Sym) return Buffer.byteLength(value.text) + 5
  if (value instanceof Regex) return Buffer.byteLength(value.pattern) + value.options.length + 2
  if (value instanceof Code)
    return Buffer.byteLength(value.code) + 5 + (value.scope ? sizeOf(value.scope) + 4 : 0)
  return 8
}
