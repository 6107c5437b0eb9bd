import { cutText, exactTime, timestamp } from '@iodine/contracts'
import { propertyRuns } from '@iodine/test-kit/runs'
import fc from 'fast-check'
import { expect, it } from 'vitest'

it.each([
  ['2026-11-20T08:00:00+00:00', '2026-11-20T08:00:00+00:00'],
  ['2024-02-29T23:59:59.123456-11:30', '2024-02-29T23:59:59.123456-11:30'],
  ['2026-11-20T08:00Z', '2026-11-20T08:00:00Z'],
  ['2026-11-20T08:00:00+0200', '2026-11-20T08:00:00+02:00'],
  ['2026-11-20T08:00+02', '2026-11-20T08:00:00+02:00'],
  ['2026-11-20 08:00:00Z', '2026-11-20T08:00:00Z'],
  [' 2026-11-20 08:00:00 UTC ', '2026-11-20T08:00:00Z'],
  ['2026-11-20 08:00:00 -0330', '2026-11-20T08:00:00-03:30'],
  ['2026-11-20t08:00:00,5z', '2026-11-20T08:00:00.5Z'],
  ['20261120T080000Z', '2026-11-20T08:00:00Z'],
  ['Fri, 20 Nov 2026 08:00:00 GMT', '2026-11-20T08:00:00Z'],
  ['1 dec 2026 08:00 +0100', '2026-12-01T08:00:00+01:00'],
  ...[
    '2026-02-29T00:00:00Z',
    '2026-02-30T00:00:00Z',
    '2026-13-01T00:00:00Z',
    '2026-00-10T00:00:00Z',
    '31 Nov 2026 08:00 +0100',
    '1 Now 2026 08:00 +0100',
    '2026-11-20T24:00:00Z',
    '2026-11-20T08:00:60Z',
    '2026-11-20T08:00:00',
    '2026-11-20T08:00:00+25:00',
    '2026-11-20',
    'yesterday',
    '',
  ].map(text => [text, undefined]),
])('parses the time %j as %j', (text = '', expected) => {
  expect(exactTime(text)).toBe(expected)
  if (expected !== undefined) expect(timestamp.safeParse(expected).error).toBeUndefined()
})

it('returns exactly the times that the contract accepts, unchanged', () => {
  const digits = (max: number) => fc.nat(max).map(n => String(n).padStart(2, '0'))
  const time = fc
    .tuple(
      fc.constantFrom('0000', '2024', '2026', '1900', '2000'),
      ...[13, 32, 25, 61, 61, 25, 61].map(digits),
    )
    .map(([y, mo, d, h, mi, s, zh, zm]) => `${y}-${mo}-${d}T${h}:${mi}:${s}+${zh}:${zm}`)
  fc.assert(
    fc.property(time, text => exactTime(text) === (timestamp.safeParse(text).success ? text : undefined)),
    propertyRuns(300),
  )
})

it.each([
  ['abc', 3, 'abc'],
  ['abcd', 3, 'abc'],
  ['ab😀', 3, 'ab'],
  ['ab😀c', 4, 'ab😀'],
  ['a👩‍👩‍👧b', 5, 'a'],
  ['ae\u0301', 2, 'a'],
  ['🇫🇷🇩🇪', 6, '🇫🇷'],
  [`a${'\u0301'.repeat(200)}`, 100, `a${'\u0301'.repeat(99)}`],
  [`${'\u0301'.repeat(99)}${'😀'.repeat(9)}`, 100, '\u0301'.repeat(99)],
])('cuts %j at %i after a whole character', (text, max, expected) =>
  expect(cutText(text, max)).toBe(expected),
)

it('never splits a character, and drops less than one', () => {
  const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 200 })
  fc.assert(
    fc.property(text, fc.nat(200), (whole, max) => {
      const cut = cutText(whole, max)
      expect(whole.startsWith(cut)).toBe(true)
      expect(cut.length).toBeLessThanOrEqual(max)
      expect(cut.isWellFormed()).toBe(true)
    }),
    propertyRuns(200),
  )
})
