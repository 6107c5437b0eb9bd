import { expect, it } from 'vitest'
import { readRetryAfter } from '../src/retry-after.js'

const now = Date.parse('2026-01-01T00:00:00Z')
const read = (value: string | null, ms: string | null = null) =>
  readRetryAfter(name => (name === 'retry-after' ? value : ms), now)

it.each([
  ['30', 30],
  [' 30 ', 30],
  ['42.5', 43],
  ['299.997', 300],
  ['1.5', 2],
  ['.5', 1],
  ['7.', 7],
  ['0', 1],
  ['0.000', 1],
  ['86401', 86_400],
  ['9'.repeat(400), 86_400],
  ['Thu, 01 Jan 2026 00:01:00 GMT', 60],
  ['Thursday, 01-Jan-26 00:01:00 GMT', 60],
  ['Thu Jan  1 00:01:00 2026', 60],
  ['thu, 1 jan 2026 00:01:00 gmt', 60],
  ['Thu, 01 Jan 2026 00:00:60 GMT', 60],
  ['Wed, 31 Dec 2025 00:00:00 GMT', 1],
  ['Sunday, 06-Nov-94 08:49:37 GMT', 1],
  ['Fri, 01 Jan 2100 00:00:00 GMT', 86_400],
])('Retry-After %s is a wait of %i s', (value, seconds) => {
  expect(read(value)).toBe(seconds)
})

it.each([
  null,
  '',
  'soon',
  '-5',
  '+5',
  '1e3',
  '0x10',
  '42,5',
  '5 s',
  'Infinity',
  'NaN',
  'May 2042',
  '2026-01-01T00:01:00Z',
  'Thu, 31 Feb 2026 00:00:00 GMT',
  'Thu, 01 Foo 2026 00:00:00 GMT',
  'Thu, 01 Jan 2026 24:00:00 GMT',
  'Thu, 01 Jan 2026 00:01:00 +0200',
])('Retry-After %s is ignored', value => {
  expect(read(value)).toBeUndefined()
})

it('ignores a long text, in linear time', () => {
  expect(read(`${'1'.repeat(400_000)}x`)).toBeUndefined()
})

it('prefers milliseconds if they are a number', () => {
  expect(read('30', '1500.5')).toBe(2)
  expect(read('30', '10')).toBe(1)
  expect(read('30', 'soon')).toBe(30)
  expect(read(null, '10 ms')).toBeUndefined()
})
