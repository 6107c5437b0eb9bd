import { compareNumbers } from './numbers.js'
import { readDoc } from './read.js'
import {
  type Binary,
  type Code,
  Doc,
  isNumeric,
  type ObjectId,
  order,
  orderOf,
  RawDoc,
  type Regex,
  Sym,
  type Timestamp,
  type Value,
} from './values.js'

const by = (a: number | bigint | string, b: number | bigint | string) => (a < b ? -1 : a > b ? 1 : 0)

/** Compares texts by code points, which is the order of their UTF-8 bytes. */
export const compareStrings = (a: string, b: string): number => {
  if (a === b) return 0
  const size = Math.min(a.length, b.length)
  for (let i = 0; i < size; i++) {
    let left = a.charCodeAt(i)
    let right = b.charCodeAt(i)
    if (left === right) continue
    if (left >= 0xd800 && right >= 0xd800) {
      left = left >= 0xe000 ? left - 0x800 : left + 0x2000
      right = right >= 0xe000 ? right - 0x800 : right + 0x2000
    }
    return left - right
  }
  return a.length - b.length
}

/** Compares BSON values in MongoDB's order. A missing value compares as null. */
export const compare = (a: Value | undefined, b: Value | undefined): number => {
  if (typeof a === 'number' && typeof b === 'number') return a - b
  if (typeof a === 'string' && typeof b === 'string') return compareStrings(a, b)
  if (isNumeric(a) && isNumeric(b)) return compareNumbers(a, b)
  const kind = orderOf(a)
  const difference = kind - orderOf(b)
  if (difference !== 0) return difference
  switch (kind) {
    case order.string:
      return compareStrings(textOf(a), textOf(b))
    case order.object:
      return compareDocs(docOf(a), docOf(b))
    case order.array: {
      const left = a as Value[]
      const right = b as Value[]
      const size = Math.min(left.length, right.length)
      for (let i = 0; i < size; i++) {
        const found = compare(left[i], right[i])
        if (found !== 0) return found
      }
      return left.length - right.length
    }
    case order.binary: {
      const left = a as Binary
      const right = b as Binary
      return (
        left.bytes.length - right.bytes.length ||
        left.subtype - right.subtype ||
        Buffer.compare(left.bytes, right.bytes)
      )
    }
    case order.objectId:
      return Buffer.compare((a as ObjectId).bytes, (b as ObjectId).bytes)
    case order.boolean:
      return Number(a) - Number(b)
    case order.date:
      return (a as Date).getTime() - (b as Date).getTime()
    case order.timestamp: {
      const left = a as Timestamp
      const right = b as Timestamp
      return left.seconds - right.seconds || left.ordinal - right.ordinal
    }
    case order.regex: {
      const left = a as Regex
      const right = b as Regex
      return compareStrings(left.pattern, right.pattern) || compareStrings(left.options, right.options)
    }
    case order.code:
      return compareStrings((a as Code).code, (b as Code).code)
    case order.codeWithScope:
      return (
        compareStrings((a as Code).code, (b as Code).code) ||
        compareDocs((a as Code).scope ?? new Doc(), (b as Code).scope ?? new Doc())
      )
    default:
      return 0
  }
}

export const equal = (a: Value | undefined, b: Value | undefined) => compare(a, b) === 0

const textOf = (value: Value | undefined) => (value instanceof Sym ? value.text : (value as string))

const docOf = (value: Value | undefined) => (value instanceof RawDoc ? readDoc(value.bytes) : (value as Doc))

/** Compares documents field by field: type class, then name, then value. */
const compareDocs = (a: Doc, b: Doc): number => {
  const left = a.entries()
  const right = b.entries()
  for (;;) {
    const one = left.next()
    const other = right.next()
    if (one.done || other.done) return by(Number(other.done ?? false), Number(one.done ?? false))
    const [leftName, leftValue] = one.value
    const [rightName, rightValue] = other.value
    const found =
      orderOf(leftValue) - orderOf(rightValue) ||
      compareStrings(leftName, rightName) ||
      compare(leftValue, rightValue)
    if (found !== 0) return found
  }
}
