import { Decimal128 } from 'bson'

export { Decimal128 }

/** A BSON document. A Map preserves the order of fields, also of integer-like names. */
export class Doc extends Map<string, Value> {
  /** Creates a document from an object's fields (names not integer-like), without undefined ones. */
  static of(fields: Record<string, Value | undefined>): Doc {
    const made = new Doc()
    for (const key of Object.keys(fields)) {
      const value = fields[key]
      if (value !== undefined) made.set(key, value)
    }
    return made
  }
}

/** The fields of a DBRef: the only names with a dollar that queries, paths and indexes accept. */
export const dbRefNames: ReadonlySet<string> = new Set(['$ref', '$id', '$db'])

/** A document as its BSON bytes, not decoded. */
export class RawDoc {
  readonly bytes: Buffer
  constructor(bytes: Buffer) {
    this.bytes = bytes
  }
}

export class Double {
  readonly value: number
  constructor(value: number) {
    this.value = value
  }
}

export class ObjectId {
  readonly bytes: Buffer
  constructor(bytes: Buffer) {
    this.bytes = bytes
  }
}

export class Binary {
  readonly subtype: number
  readonly bytes: Buffer
  constructor(subtype: number, bytes: Buffer) {
    this.subtype = subtype
    this.bytes = bytes
  }
}

/** BSON's internal timestamp: seconds and an ordinal. */
export class Timestamp {
  readonly seconds: number
  readonly ordinal: number
  constructor(seconds: number, ordinal: number) {
    this.seconds = seconds
    this.ordinal = ordinal
  }
}

export class Regex {
  readonly pattern: string
  readonly options: string
  constructor(pattern: string, options: string) {
    this.pattern = pattern
    this.options = options
  }
}

export class Code {
  readonly code: string
  readonly scope: Doc | undefined
  constructor(code: string, scope?: Doc) {
    this.code = code
    this.scope = scope
  }
}

/** BSON's deprecated symbol; sorts and matches as a string. */
export class Sym {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

export class MinKey {
  readonly min = true
}
export class MaxKey {
  readonly max = true
}
export const minKey = new MinKey()
export const maxKey = new MaxKey()

/**
 * A BSON value. A JS number is an int32, a bigint an int64, Double a double; JS undefined means "no such
 * field".
 */
export type Value =
  | number
  | bigint
  | Double
  | Decimal128
  | string
  | Sym
  | boolean
  | null
  | Date
  | Doc
  | RawDoc
  | Value[]
  | ObjectId
  | Binary
  | Timestamp
  | Regex
  | Code
  | MinKey
  | MaxKey

export type Numeric = number | bigint | Double | Decimal128

export const isNumeric = (value: Value | undefined): value is Numeric =>
  typeof value === 'number' ||
  typeof value === 'bigint' ||
  value instanceof Double ||
  value instanceof Decimal128

/** MongoDB's sort classes of types: values of one class compare by value, others by class. */
export const order = {
  minKey: 1,
  undefined: 2,
  null: 3,
  number: 4,
  string: 5,
  object: 6,
  array: 7,
  binary: 8,
  objectId: 9,
  boolean: 10,
  date: 11,
  timestamp: 12,
  regex: 13,
  code: 15,
  codeWithScope: 16,
  maxKey: 17,
} as const

/** Returns the sort class of a value. A missing value sorts as null. */
export const orderOf = (value: Value | undefined): number => {
  switch (typeof value) {
    case 'string':
      return order.string
    case 'number':
    case 'bigint':
      return order.number
    case 'boolean':
      return order.boolean
    case 'undefined':
      return order.null
    default:
  }
  if (value === null) return order.null
  if (value instanceof Doc || value instanceof RawDoc) return order.object
  if (Array.isArray(value)) return order.array
  if (value instanceof Double || value instanceof Decimal128) return order.number
  if (value instanceof Date) return order.date
  if (value instanceof ObjectId) return order.objectId
  if (value instanceof Binary) return order.binary
  if (value instanceof Sym) return order.string
  if (value instanceof Timestamp) return order.timestamp
  if (value instanceof Regex) return order.regex
  if (value instanceof Code) return value.scope ? order.codeWithScope : order.code
  return value instanceof MinKey ? order.minKey : order.maxKey
}

/** Returns BSON's type number, and its alias in `$type`. */
export const typeOf = (value: Value): { number: number; alias: string } => {
  switch (typeof value) {
    case 'string':
      return { number: 2, alias: 'string' }
    case 'number':
      return { number: 16, alias: 'int' }
    case 'bigint':
      return { number: 18, alias: 'long' }
    case 'boolean':
      return { number: 8, alias: 'bool' }
    default:
  }
  if (value === null) return { number: 10, alias: 'null' }
  if (value instanceof Doc || value instanceof RawDoc) return { number: 3, alias: 'object' }
  if (Array.isArray(value)) return { number: 4, alias: 'array' }
  if (value instanceof Double) return { number: 1, alias: 'double' }
  if (value instanceof Decimal128) return { number: 19, alias: 'decimal' }
  if (value instanceof Date) return { number: 9, alias: 'date' }
  if (value instanceof ObjectId) return { number: 7, alias: 'objectId' }
  if (value instanceof Binary) return { number: 5, alias: 'binData' }
  if (value instanceof Sym) return { number: 14, alias: 'symbol' }
  if (value instanceof Timestamp) return { number: 17, alias: 'timestamp' }
  if (value instanceof Regex) return { number: 11, alias: 'regex' }
  if (value instanceof Code)
    return value.scope ? { number: 15, alias: 'javascriptWithScope' } : { number: 13, alias: 'javascript' }
  return value instanceof MinKey ? { number: -1, alias: 'minKey' } : { number: 127, alias: 'maxKey' }
}

export const typeName = (value: Value | undefined) => (value === undefined ? 'missing' : typeOf(value).alias)
