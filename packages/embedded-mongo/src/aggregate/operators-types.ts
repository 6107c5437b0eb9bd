import { asInteger, isNaNValue, toDecimal, toDouble, toLong } from '../bson/numbers.js'
import {
  Decimal128,
  Double,
  isNumeric,
  ObjectId,
  Sym,
  Timestamp,
  typeName,
  type Value,
} from '../bson/values.js'
import { fail, MongoError } from '../errors.js'
import { missing, namedSpecs, type Operator, withArguments } from './operator.js'

const failed = (message: string): never => fail(241, `${message} in $convert with no onError value`)

/** Converts a scalar to text as `$toString` does; undefined for other types. */
export const textOf = (value: Value): string | undefined => {
  if (typeof value === 'string') return value
  if (value instanceof Sym) return value.text
  if (typeof value === 'boolean') return String(value)
  if (value instanceof Decimal128) return value.toString()
  if (value instanceof Double && Object.is(value.value, -0)) return '-0'
  if (isNumeric(value)) return String(value instanceof Double ? value.value : value)
  if (value instanceof Date) return value.toISOString()
  return value instanceof ObjectId ? value.bytes.toString('hex') : undefined
}

/** Returns the time of a date, a timestamp or an ObjectId, in milliseconds. */
export const timeOf = (value: Value): number | undefined => {
  if (value instanceof Date) return value.getTime()
  if (value instanceof Timestamp) return value.seconds * 1000
  return value instanceof ObjectId ? value.bytes.readUInt32BE() * 1000 : undefined
}

const unsupported = (value: Value, to: string): never =>
  failed(`Unsupported conversion from ${typeName(value)} to ${to}`)

const toInt = (value: Value): Value => {
  const result = toWhole(value, 'int')
  return result < -2147483648n || result > 2147483647n
    ? failed('Conversion would overflow target type')
    : Number(result)
}

const toWhole = (value: Value, to: 'int' | 'long'): bigint => {
  if (typeof value === 'boolean') return value ? 1n : 0n
  if (value instanceof Date && to === 'long') return BigInt(value.getTime())
  if (typeof value === 'string') {
    if (!/^[+-]?\d+$/.test(value)) failed(`Failed to parse number '${value}'`)
    return toLongChecked(BigInt(value))
  }
  if (!isNumeric(value)) return unsupported(value, to)
  if (isNaNValue(value)) failed('Attempt to convert NaN value to integer type')
  if (Math.abs(toDouble(value)) >= 2 ** 63 && !(typeof value === 'bigint'))
    failed('Conversion would overflow target type')
  return toLong(value, 241)
}

const toLongChecked = (value: bigint) =>
  BigInt.asIntN(64, value) === value ? value : failed('Conversion would overflow target type')

const toDoubleValue = (value: Value): Value => {
  if (typeof value === 'boolean') return new Double(value ? 1 : 0)
  if (value instanceof Date) return new Double(value.getTime())
  if (typeof value === 'string') {
    const number = /^\s|\s$|^$/.test(value) || /^[+-]?0[xob]/i.test(value) ? Number.NaN : Number(value)
    if (Number.isNaN(number) && value !== 'NaN') failed(`Failed to parse number '${value}'`)
    return new Double(number)
  }
  return isNumeric(value) ? new Double(toDouble(value)) : unsupported(value, 'double')
}

const toDecimalValue = (value: Value): Value => {
  if (typeof value === 'boolean') return Decimal128.fromString(value ? '1' : '0')
  if (value instanceof Date) return toDecimal(BigInt(value.getTime()))
  if (typeof value === 'string') {
    try {
      return Decimal128.fromStringWithRounding(value)
    } catch {
      return failed(`Failed to parse number '${value}'`)
    }
  }
  return isNumeric(value) ? toDecimal(value) : unsupported(value, 'decimal')
}

const toDate = (value: Value): Value => {
  const time = timeOf(value)
  if (time !== undefined) return new Date(time)
  if (typeof value === 'string') return parseDate(value) ?? failed(`Error parsing date string '${value}'`)
  if (typeof value === 'bigint' || value instanceof Double || value instanceof Decimal128) {
    const date = new Date(Number(toLong(value, 241)))
    return Number.isNaN(date.getTime()) ? failed('Conversion would overflow target type') : date
  }
  return unsupported(value, 'date')
}

/** Parses an ISO 8601 date, by default in UTC; undefined for other texts. */
export const parseDate = (text: string): Date | undefined => {
  const iso =
    /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?\s*(Z|[+-]\d{2}:?\d{2})?)?$/.exec(
      text,
    )
  if (!iso) return undefined
  const [, year, month, day, hour = '00', minute = '00', second = '00', fraction = '', zone = 'Z'] = iso
  const offset = zone === 'Z' || zone.includes(':') ? zone : `${zone.slice(0, 3)}:${zone.slice(3)}`
  const date = new Date(
    `${year}-${month}-${day}T${hour}:${minute}:${second}.${fraction.slice(0, 3).padEnd(3, '0')}${offset}`,
  )
  if (
    Number.isNaN(date.getTime()) ||
    new Date(Date.UTC(Number(year), Number(month) - 1, Number(day))).getUTCDate() !== Number(day)
  )
    return undefined
  return date
}

const toObjectId = (value: Value): Value => {
  if (value instanceof ObjectId) return value
  if (typeof value !== 'string') return unsupported(value, 'objectId')
  return /^[0-9a-fA-F]{24}$/.test(value)
    ? new ObjectId(Buffer.from(value, 'hex'))
    : failed(`Failed to parse objectId '${value}'`)
}

const toBool = (value: Value): Value =>
  isNumeric(value) ? toDouble(value) !== 0 : typeof value === 'boolean' ? value : true

const conversions = new Map<string, (value: Value) => Value>([
  ['double', toDoubleValue],
  ['string', value => textOf(value) ?? unsupported(value, 'string')],
  ['objectId', toObjectId],
  ['bool', toBool],
  ['date', toDate],
  ['int', toInt],
  ['long', value => toWhole(value, 'long')],
  ['decimal', toDecimalValue],
])

const numbers = new Map([
  [1, 'double'],
  [2, 'string'],
  [7, 'objectId'],
  [8, 'bool'],
  [9, 'date'],
  [16, 'int'],
  [18, 'long'],
  [19, 'decimal'],
])

const convert: Operator = (spec, compile) => {
  const named = new Map(
    namedSpecs('$convert', spec, ['input', 'to'], ['onError', 'onNull']).map(([name, value]) => [
      name,
      compile(value),
    ]),
  )
  const onError = named.get('onError')
  const onNull = named.get('onNull')
  return doc => {
    const to = named.get('to')!(doc)
    const value = named.get('input')!(doc)
    if (missing(to)) return null
    const target = typeof to === 'string' ? to : numbers.get(asInteger(to) ?? 0)
    const apply = conversions.get(target ?? '') ?? fail(2, `Unknown type name: ${String(to)}`)
    if (missing(value)) return onNull ? onNull(doc) : null
    try {
      return apply(value)
    } catch (error) {
      if (onError && error instanceof MongoError) return onError(doc)
      throw error
    }
  }
}

const to = (name: string, target: string): [string, Operator] => [
  name,
  withArguments(name, 1, 1, ([value]) => (missing(value) ? null : conversions.get(target)!(value))),
]

export const typeOperators: [string, Operator][] = [
  ['$type', withArguments('$type', 1, 1, ([value]) => typeName(value))],
  ['$isNumber', withArguments('$isNumber', 1, 1, ([value]) => isNumeric(value))],
  ['$convert', convert],
  to('$toString', 'string'),
  to('$toInt', 'int'),
  to('$toLong', 'long'),
  to('$toDouble', 'double'),
  to('$toDecimal', 'decimal'),
  to('$toBool', 'bool'),
  to('$toDate', 'date'),
  to('$toObjectId', 'objectId'),
]
