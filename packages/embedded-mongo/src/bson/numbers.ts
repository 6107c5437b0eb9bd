import { fail } from '../errors.js'
import { Decimal128, Double, type Numeric, type Value } from './values.js'

const minLong = -(1n << 63n)
const maxLong = (1n << 63n) - 1n

/** Returns a number as the nearest JS double. */
export const toDouble = (value: Numeric): number => {
  if (typeof value === 'number') return value
  if (value instanceof Double) return value.value
  return Number(value instanceof Decimal128 ? value.toString() : value)
}

export const isNaNValue = (value: Numeric) => Number.isNaN(toDouble(value))

/** An exact decimal: coefficient × 10^exponent. */
type Exact = { coefficient: bigint; exponent: number }

const decimalParts = (value: Decimal128): Exact => {
  const low = Buffer.from(value.bytes).readBigUInt64LE(0)
  const high = Buffer.from(value.bytes).readBigUInt64LE(8)
  const negative = high >> 63n === 1n
  // Coefficients of the second encoding exceed 34 digits and count as zero.
  const large = ((high >> 61n) & 3n) === 3n
  const exponent = Number((large ? high >> 47n : high >> 49n) & 0x3fffn) - 6176
  const coefficient = large ? 0n : ((high & 0x1ffffffffffffn) << 64n) | low
  return { coefficient: negative ? -coefficient : coefficient, exponent }
}

const bits = new DataView(new ArrayBuffer(8))

const doubleParts = (value: number): Exact => {
  if (Number.isInteger(value) && Math.abs(value) <= Number.MAX_SAFE_INTEGER)
    return { coefficient: BigInt(value), exponent: 0 }
  bits.setFloat64(0, value)
  const all = bits.getBigUint64(0)
  const biased = Number((all >> 52n) & 0x7ffn)
  const fraction = all & 0xfffffffffffffn
  const mantissa = biased === 0 ? fraction : fraction | (1n << 52n)
  const power = (biased === 0 ? 1 : biased) - 1075
  const size = power >= 0 ? mantissa << BigInt(power) : mantissa * 5n ** BigInt(-power)
  return { coefficient: all >> 63n === 1n ? -size : size, exponent: Math.min(power, 0) }
}

const exactly = (value: Numeric): Exact =>
  value instanceof Decimal128
    ? decimalParts(value)
    : value instanceof Double
      ? doubleParts(value.value)
      : { coefficient: BigInt(value), exponent: 0 }

const compareExact = (a: Exact, b: Exact): number => {
  const shift = a.exponent - b.exponent
  const left = shift > 0 ? a.coefficient * 10n ** BigInt(shift) : a.coefficient
  const right = shift < 0 ? b.coefficient * 10n ** BigInt(-shift) : b.coefficient
  return left < right ? -1 : left > right ? 1 : 0
}

/** Compares by exact numeric value across types. NaN sorts first and equals itself. */
export const compareNumbers = (a: Numeric, b: Numeric): number => {
  if (a instanceof Decimal128 || b instanceof Decimal128) {
    const left = toDouble(a)
    const right = toDouble(b)
    // Rounding is monotonic, so only equal doubles need the exact digits.
    if (left < right) return -1
    if (left > right) return 1
    if (Number.isNaN(left) || Number.isNaN(right))
      return Number(!Number.isNaN(left)) - Number(!Number.isNaN(right))
    const endless = [isInfinite(a), isInfinite(b)]
    if (endless[0] || endless[1]) {
      if (endless[0] && endless[1]) return left < right ? -1 : left > right ? 1 : 0
      return endless[0] ? (left > 0 ? 1 : -1) : right > 0 ? -1 : 1
    }
    return compareExact(exactly(a), exactly(b))
  }
  const left = a instanceof Double ? a.value : a
  const right = b instanceof Double ? b.value : b
  if (left < right) return -1
  if (left > right) return 1
  return Number(!Number.isNaN(left)) - Number(!Number.isNaN(right))
}

const isInfinite = (value: Numeric) =>
  value instanceof Decimal128
    ? value.toString().endsWith('Infinity')
    : value instanceof Double && Math.abs(value.value) === Number.POSITIVE_INFINITY

const digits = 34
const limit = 10n ** BigInt(digits)

/** Rounds half to even to 34 digits and packs the result as a Decimal128. */
const packDecimal = ({ coefficient, exponent }: Exact, negativeZero = false): Decimal128 => {
  const negative = coefficient < 0n || (coefficient === 0n && negativeZero)
  let size = coefficient < 0n ? -coefficient : coefficient
  let power = exponent
  const drop = (count: number) => {
    const unit = 10n ** BigInt(count)
    const rest = size % unit
    size /= unit
    if (rest * 2n > unit || (rest * 2n === unit && size % 2n === 1n)) size++
    power += count
  }
  if (size >= limit) drop(size.toString().length - digits)
  if (size >= limit) drop(1)
  if (power < -6176) drop(Math.min(-6176 - power, digits + 2))
  if (power < -6176) power = -6176
  while (power > 6111 && size > 0n && size * 10n < limit) {
    size *= 10n
    power--
  }
  if (power > 6111 && size === 0n) power = 6111
  if (power > 6111) return Decimal128.fromString(negative ? '-Infinity' : 'Infinity')
  const bytes = Buffer.alloc(16)
  bytes.writeBigUInt64LE(size & 0xffffffffffffffffn, 0)
  bytes.writeBigUInt64LE(((negative ? 1n : 0n) << 63n) | (BigInt(power + 6176) << 49n) | (size >> 64n), 8)
  return new Decimal128(bytes)
}

/** Converts a number to a Decimal128: doubles with 15 significant digits, as in MongoDB. */
export const toDecimal = (value: Numeric): Decimal128 => {
  if (value instanceof Decimal128) return value
  if (value instanceof Double) {
    if (!Number.isFinite(value.value)) return Decimal128.fromString(String(value.value))
    return Decimal128.fromString(value.value.toPrecision(15))
  }
  return packDecimal({ coefficient: BigInt(value), exponent: 0 })
}

const long = (value: bigint): Numeric | undefined => (value < minLong || value > maxLong ? undefined : value)

const narrow = (value: number): Numeric =>
  Number.isInteger(value) && value >= -2147483648 && value <= 2147483647 ? value : BigInt(value)

/** Converts a count for a reply: int32 if it fits, else int64. */
export const count = (value: number): Value => (value <= 2147483647 ? value : BigInt(value))

type Operation = 'add' | 'subtract' | 'multiply'

/**
 * Adds, subtracts or multiplies with MongoDB's type rules: the result has the wider type, and int32 widens to int64. An
 * int64 overflow yields a double, or undefined if `strict` (`$inc` and `$mul` reject it).
 */
export const arithmetic = (op: Operation, a: Numeric, b: Numeric, strict = false): Numeric | undefined => {
  if (a instanceof Decimal128 || b instanceof Decimal128)
    return decimalArithmetic(op, toDecimal(a), toDecimal(b))
  if (a instanceof Double || b instanceof Double) return new Double(double(op, toDouble(a), toDouble(b)))
  if (typeof a === 'number' && typeof b === 'number') {
    const result = double(op, a, b)
    if (Number.isSafeInteger(result)) return narrow(result === 0 ? 0 : result)
  }
  const left = BigInt(a)
  const right = BigInt(b)
  const result = op === 'add' ? left + right : op === 'subtract' ? left - right : left * right
  return long(result) ?? (strict ? undefined : new Double(double(op, Number(a), Number(b))))
}

const double = (op: Operation, a: number, b: number) =>
  op === 'add' ? a + b : op === 'subtract' ? a - b : a * b

const decimalArithmetic = (op: Operation, a: Decimal128, b: Decimal128): Decimal128 => {
  if (isInfinite(a) || isInfinite(b) || isNaNValue(a) || isNaNValue(b))
    return Decimal128.fromString(String(double(op, toDouble(a), toDouble(b))))
  const left = decimalParts(a)
  const right = decimalParts(b)
  if (op === 'multiply')
    return packDecimal({
      coefficient: left.coefficient * right.coefficient,
      exponent: left.exponent + right.exponent,
    })
  const exponent = Math.min(left.exponent, right.exponent)
  const x = left.coefficient * 10n ** BigInt(left.exponent - exponent)
  const y = right.coefficient * 10n ** BigInt(right.exponent - exponent)
  return packDecimal({ coefficient: op === 'add' ? x + y : x - y, exponent })
}

/**
 * Sums numbers as MongoDB's accumulators do: integers exactly, doubles with compensated summation (ten times
 * 0.1 is 1), decimals in decimal.
 */
export class Total {
  private whole = 0
  private large = 0n
  private isLong = false
  private sum = 0
  private lost = 0
  private isDouble = false
  private decimal: Decimal128 | undefined

  add(value: Numeric): void {
    if (typeof value === 'number') {
      this.whole += value
      if (!Number.isSafeInteger(this.whole)) this.spill(0)
    } else if (typeof value === 'bigint') {
      this.isLong = true
      this.large += value
    } else if (value instanceof Double) {
      this.isDouble = true
      this.addDouble(value.value)
    } else this.decimal = this.decimal ? decimalArithmetic('add', this.decimal, value) : value
  }

  result(): Numeric {
    const whole = this.large + BigInt(this.whole)
    if (!this.decimal && !this.isDouble) {
      if (!this.isLong && whole >= -2147483648n && whole <= 2147483647n) return Number(whole)
      return long(whole) ?? new Double(Number(whole))
    }
    this.spill(0)
    this.addDouble(Number(this.large))
    this.addDouble(Number(this.large - BigInt(Number(this.large))))
    this.large = 0n
    const double = Number.isFinite(this.sum) ? this.sum + this.lost : this.sum
    if (!this.decimal) return new Double(double)
    return double === 0 ? this.decimal : decimalArithmetic('add', this.decimal, toDecimal(new Double(double)))
  }

  /** Moves the integer sum to a bigint, which cannot overflow. */
  private spill(next: number) {
    this.large += BigInt(this.whole)
    this.whole = next
  }

  private addDouble(value: number) {
    const sum = this.sum + value
    const shifted = sum - this.sum
    this.lost += this.sum - (sum - shifted) + (value - shifted)
    this.sum = sum
  }
}

/** Divides: returns a Decimal128 if either side is one, else a double. The divisor is not zero. */
export const divide = (a: Numeric, b: Numeric): Numeric => {
  if (!(a instanceof Decimal128) && !(b instanceof Decimal128)) return new Double(toDouble(a) / toDouble(b))
  const x = toDecimal(a)
  const y = toDecimal(b)
  if (isInfinite(x) || isInfinite(y) || isNaNValue(x) || isNaNValue(y))
    return Decimal128.fromString(String(toDouble(x) / toDouble(y)))
  const top = decimalParts(x)
  const bottom = decimalParts(y)
  const scale = 70
  const wide = top.coefficient * 10n ** BigInt(scale)
  let coefficient = wide / bottom.coefficient
  let exponent = top.exponent - bottom.exponent - scale
  if (wide % bottom.coefficient === 0n) {
    const ideal = top.exponent - bottom.exponent
    while (exponent < ideal && coefficient % 10n === 0n && coefficient !== 0n) {
      coefficient /= 10n
      exponent++
    }
  }
  return packDecimal({ coefficient, exponent })
}

/** Returns the remainder with the dividend's sign; the divisor is not zero. */
export const modulo = (a: Numeric, b: Numeric): Numeric => {
  if (a instanceof Decimal128 || b instanceof Decimal128) {
    const left = decimalParts(toDecimal(a))
    const right = decimalParts(toDecimal(b))
    const exponent = Math.min(left.exponent, right.exponent)
    const x = left.coefficient * 10n ** BigInt(left.exponent - exponent)
    const y = right.coefficient * 10n ** BigInt(right.exponent - exponent)
    return packDecimal({ coefficient: x % y, exponent })
  }
  if (a instanceof Double || b instanceof Double) return new Double(toDouble(a) % toDouble(b))
  if (typeof a === 'number' && typeof b === 'number') return (a % b) + 0
  return BigInt(a) % BigInt(b)
}

/** Rounds to `place` decimals by `mode`, keeping the number's type. */
export const roundTo = (
  value: Numeric,
  place: number,
  mode: 'round' | 'trunc' | 'floor' | 'ceil',
): Numeric => {
  if (isInfinite(value) || isNaNValue(value)) return value
  if ((typeof value === 'number' || typeof value === 'bigint') && place >= 0) return value
  const { coefficient, exponent } = exactly(value)
  const unit = -place - exponent
  if (unit <= 0) return value
  const scale = 10n ** BigInt(unit)
  let rest = coefficient % scale
  let quotient = coefficient / scale
  if (rest < 0n) {
    rest += scale
    quotient -= 1n
  }
  const up =
    mode === 'ceil'
      ? rest > 0n
      : mode === 'trunc'
        ? coefficient < 0n && rest > 0n
        : mode === 'round' && (rest * 2n > scale || (rest * 2n === scale && quotient % 2n !== 0n))
  if (up) quotient += 1n
  const result = { coefficient: quotient, exponent: -place }
  if (value instanceof Decimal128) return packDecimal(result, coefficient < 0n)
  if (value instanceof Double) return new Double(Number(`${quotient}e${-place}`))
  const back = quotient * 10n ** BigInt(-place)
  return typeof value === 'number' && back >= -2147483648n && back <= 2147483647n ? Number(back) : back
}

/** Returns the integer part of a number as an int64 bigint. Fails with `code` if it is out of range. */
export const toLong = (value: Numeric, code = 2): bigint => {
  if (typeof value === 'bigint') return value
  if (typeof value === 'number') return BigInt(value)
  if (isNaNValue(value) || isInfinite(value)) return fail(code, 'Out of range: not a finite number')
  const { coefficient, exponent } = exactly(roundTo(value, 0, 'trunc'))
  const result =
    exponent >= 0 ? coefficient * 10n ** BigInt(exponent) : coefficient / 10n ** BigInt(-exponent)
  return long(result) === undefined ? fail(code, 'Out of range for an int64') : result
}

/** Returns an integer as a JS number; undefined if the value is not an integer in the safe range. */
export const asInteger = (value: Value | undefined): number | undefined => {
  if (typeof value === 'number') return value
  if (typeof value === 'bigint')
    return value >= -9007199254740991n && value <= 9007199254740991n ? Number(value) : undefined
  if (value instanceof Double || value instanceof Decimal128) {
    const number = toDouble(value)
    return Number.isSafeInteger(number) ? number + 0 : undefined
  }
  return undefined
}

/** Returns a memcmp-ordered encoding of the digits that a double cannot represent; see indexes/key.ts. */
export const decimalDigits = (value: Numeric): { exponent: number; digits: string; negative: boolean } => {
  const { coefficient, exponent } = exactly(value)
  const negative = coefficient < 0n
  const text = (negative ? -coefficient : coefficient).toString()
  return { exponent: exponent + text.length, digits: text.replace(/0+$/, ''), negative }
}

/** Compares a number with its nearest double: -1 smaller, 0 equal, 1 larger. */
export const besideDouble = (value: Numeric, rounded: number): number => {
  if (typeof value === 'number' || value instanceof Double) return 0
  return compareNumbers(value, new Double(rounded))
}
