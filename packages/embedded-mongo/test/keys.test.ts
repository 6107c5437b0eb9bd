import fc from 'fast-check'
import { BSON } from 'mongodb'
import { expect, test } from 'vitest'
import { compare } from '../src/bson/compare.js'
import { arithmetic, compareNumbers, toDecimal } from '../src/bson/numbers.js'
import { readDoc } from '../src/bson/read.js'
import {
  Binary,
  Decimal128,
  Doc,
  Double,
  maxKey,
  minKey,
  type Numeric,
  ObjectId,
  Regex,
  Timestamp,
  type Value,
} from '../src/bson/values.js'
import { writeDoc } from '../src/bson/write.js'
import { encodeKey } from '../src/indexes/key.js'

const decimal = fc
  .tuple(fc.bigInt({ min: -(10n ** 33n), max: 10n ** 33n }), fc.integer({ min: -40, max: 40 }))
  .map(([digits, exponent]) => Decimal128.fromString(`${digits}E${exponent}`))

/** Close numbers of different types, which reveal rounding errors. */
const number: fc.Arbitrary<Numeric> = fc.oneof(
  fc.integer({ min: -5, max: 5 }),
  fc.integer({ min: -2147483648, max: 2147483647 }),
  fc.bigInt({ min: -(1n << 63n), max: (1n << 63n) - 1n }),
  fc.integer({ min: -3, max: 3 }).map(by => (1n << 53n) + BigInt(by)),
  fc.integer({ min: -3, max: 3 }).map(by => new Double(2 ** 53 + by)),
  fc.double().map(value => new Double(value)),
  decimal,
  fc
    .constantFrom(
      '0.1',
      '0.5',
      '9007199254740993',
      '1E6000',
      '-1E6000',
      '1E-6000',
      'NaN',
      'Infinity',
      '-Infinity',
      '0E3',
    )
    .map(text => Decimal128.fromString(text)),
  fc
    .constantFrom(0.1, 0.5, -0, Number.NaN, Number.POSITIVE_INFINITY, Number.MAX_VALUE, Number.MIN_VALUE)
    .map(value => new Double(value)),
)

const text = fc.string({
  unit: fc.constantFrom('a', 'b', '\0', '\x01', 'é', '\uffee', '\u{1f600}', '\xff'),
  maxLength: 4,
})

const { value } = fc.letrec<{ value: Value }>(tie => ({
  value: fc.oneof(
    { maxDepth: 3 },
    number,
    text,
    fc.constantFrom(null, true, false, minKey, maxKey),
    fc.date({ noInvalidDate: true }),
    fc.uint8Array({ minLength: 12, maxLength: 12 }).map(bytes => new ObjectId(Buffer.from(bytes))),
    fc
      .tuple(fc.constantFrom(0, 4, 128), fc.uint8Array({ maxLength: 3 }))
      .map(([subtype, bytes]) => new Binary(subtype, Buffer.from(bytes))),
    fc.tuple(fc.nat(), fc.nat()).map(([seconds, ordinal]) => new Timestamp(seconds, ordinal)),
    fc.constantFrom('a', 'ab').map(pattern => new Regex(pattern, 'i')),
    fc.array(tie('value'), { maxLength: 3 }),
    fc
      .array(fc.tuple(fc.constantFrom('a', 'b', '10', '2'), tie('value')), { maxLength: 3 })
      .map(fields => new Doc(fields)),
  ),
}))

const sign = (order: number) => Math.sign(order) + 0

test('index keys sort like values, in both directions', { tags: 'long' }, () => {
  fc.assert(
    fc.property(value, value, (a, b) => {
      const order = sign(compare(a, b))
      for (const direction of [1, -1]) {
        const keys = [a, b].map(one => encodeKey([one], [direction]).bytes)
        expect(sign(Buffer.compare(keys[0]!, keys[1]!))).toBe(order === 0 ? 0 : order * direction)
      }
    }),
    { numRuns: 3000 },
  )
})

test('no key is a prefix of another key', () => {
  fc.assert(
    fc.property(value, value, (a, b) => {
      const [one, other] = [a, b].map(item => encodeKey([item], [1]).bytes) as [Buffer, Buffer]
      if (compare(a, b) !== 0) expect(other.subarray(0, one.length).equals(one)).toBe(false)
    }),
    { numRuns: 2000 },
  )
})

test('the order of numbers is total', () => {
  fc.assert(
    fc.property(number, number, number, (a, b, c) => {
      expect(sign(compareNumbers(a, b))).toBe(sign(-compareNumbers(b, a)))
      if (compareNumbers(a, b) <= 0 && compareNumbers(b, c) <= 0)
        expect(compareNumbers(a, c)).toBeLessThanOrEqual(0)
    }),
    { numRuns: 3000 },
  )
})

test('encoded documents are decoded unchanged, and equal the driver’s encoding', () => {
  fc.assert(
    fc.property(value, one => {
      const bytes = writeDoc(new Doc([['v', one]]))
      expect(writeDoc(readDoc(bytes)).equals(bytes)).toBe(true)
      expect(compare(readDoc(bytes).get('v'), one)).toBe(0)
      const driver = BSON.deserialize(bytes, {
        promoteValues: false,
        promoteBuffers: false,
        bsonRegExp: true,
        useBigInt64: false,
      })
      expect(driver).toHaveProperty('v')
    }),
    { numRuns: 2000 },
  )
})

test('sums of decimals are exact to 34 digits', () => {
  const small = fc.integer({ min: -1e9, max: 1e9 })
  fc.assert(
    fc.property(small, small, fc.integer({ min: 0, max: 6 }), (a, b, places) => {
      const of = (digits: number) => Decimal128.fromString(`${digits}E-${places}`)
      expect(
        compareNumbers(arithmetic('add', of(a), of(b))!, Decimal128.fromString(`${a + b}E-${places}`)),
      ).toBe(0)
      expect(compareNumbers(arithmetic('multiply', of(a), toDecimal(10 ** places))!, a)).toBe(0)
    }),
    { numRuns: 500 },
  )
})
