import { describe, expect, it } from 'vitest'
import { countOf } from '../src/text/counts.js'
import { isDateFormat, isTimeZone, secondsOf, type TimeRules, timeOf } from '../src/text/times.js'

const AT = '2025-11-13T02:13:20.000Z'

describe('timeOf', () => {
  it.each<[unknown, TimeRules | undefined, string | undefined]>([
    [1763000000, undefined, AT],
    ['1763000000', undefined, AT],
    ['1763000000.0', undefined, AT],
    [1763000000000, undefined, AT],
    [1763000000000000, undefined, AT],
    ['2025-11-13T02:13:20Z', undefined, AT],
    ['2025-11-13 02:13:20+00:00', undefined, AT],
    ['2025-11-13T02:13:20+0000', undefined, AT],
    ['2025-11-13 02:13:20 UTC', undefined, AT],
    ['2025-11-13T03:13:20.123456789+01:00', undefined, '2025-11-13T02:13:20.123Z'],
    ['2025-11-12 21:13:20 EST', undefined, AT],
    ['2020-07-12 22:13:20 EDT', undefined, '2020-07-13T02:13:20.000Z'],
    ['Thu, 13 Nov 2025 03:13:20 +0100', undefined, AT],
    ['Thu, 13 Nov 2025 02:13:20 GMT', undefined, AT],
    ['13 Nov 25 02:13 GMT', undefined, '2025-11-13T02:13:00.000Z'],
    ['Thu Nov 13 02:13:20 +0000 2025', undefined, AT],
    ['2025-11-13 03:13:20', { zone: 'Europe/Paris' }, AT],
    ['2025-11-13 03:13:20', { zone: '+01:00' }, AT],
    ['2025-11-13', { zone: 'UTC' }, '2025-11-13T00:00:00.000Z'],
    ['2025-07-13 03:13', { zone: 'Europe/Paris' }, '2025-07-13T01:13:00.000Z'],
    // The hour repeats, and is skipped.
    ['2025-10-26 02:30:00', { zone: 'Europe/Paris' }, '2025-10-26T00:30:00.000Z'],
    ['2025-03-30 02:30:00', { zone: 'Europe/Paris' }, '2025-03-30T01:30:00.000Z'],
    ['13/11/2025 03:13', { zone: 'Europe/Paris', format: '%d/%m/%Y %H:%M' }, '2025-11-13T02:13:00.000Z'],
    ['11/13/25 2:13:20 AM', { zone: 'UTC', format: '%m/%d/%y %I:%M:%S %p' }, AT],
    ['12:00 PM, 13 November 2025', { zone: 'UTC', format: '%I:%M %p, %d %B %Y' }, '2025-11-13T12:00:00.000Z'],
    ['13.11.2025 03:13:20 +0100', { format: '%d.%m.%Y %H:%M:%S %z' }, AT],
    ['1763000000', { zone: 'UTC', format: '%d/%m/%Y' }, AT],
    // Unreadable.
    ['2025-11-13 03:13:20', undefined, undefined],
    ['2020-11-12 21:13:20 XYZ', { zone: 'UTC' }, undefined],
    ['13/11/2025', { zone: 'UTC' }, undefined],
    ['2025-02-30T00:00:00Z', undefined, undefined],
    ['2025-11-13T25:00:00Z', undefined, undefined],
    ['0', undefined, undefined],
    [0, undefined, undefined],
    ['yesterday', { zone: 'UTC' }, undefined],
    [null, undefined, undefined],
    [Number.NaN, undefined, undefined],
    [1e300, undefined, undefined],
    ['1'.repeat(1_000), { zone: 'UTC' }, undefined],
  ])('reads %j with %j', (value, rules, expected) => {
    expect(timeOf(value, rules)).toBe(expected)
  })

  it('reads local times of a zone as a browser writes them', () => {
    const zone = 'America/New_York'
    for (let at = Date.UTC(2025, 0, 1); at < Date.UTC(2026, 0, 1); at += 3_600_000 * 13) {
      const parts = new Intl.DateTimeFormat('sv-SE', {
        timeZone: zone,
        dateStyle: 'short',
        timeStyle: 'medium',
      })
      const local = parts.format(at)
      expect(timeOf(local, { zone })).toBe(new Date(at).toISOString())
    }
  })
})

it('knows zones and date formats', () => {
  expect(['Europe/Paris', 'UTC', '+02:00'].map(isTimeZone)).toEqual([true, true, true])
  expect(['Europe/Nowhere', '', 'a b'].map(isTimeZone)).toEqual([false, false, false])
  expect(['%d/%m/%Y', '%F %T'].map(isDateFormat)).toEqual([true, true])
  expect(['%Q', '%Y %Y', '%'].map(isDateFormat)).toEqual([false, false, false])
})

it('gives whole seconds', () => {
  expect(secondsOf('2025-11-13T02:13:20.900Z')).toBe(1_763_000_000)
  expect(secondsOf(undefined)).toBeUndefined()
})

it.each<[unknown, number | undefined]>([
  ['1,234', 1_234],
  ['1234.0', 1_234],
  [0, 0],
  [' 7 ', 7],
  ['1.2K', undefined],
  ['1.2万', undefined],
  ['10万+', undefined],
  ['10+', undefined],
  ['1 234', undefined],
  ['1.234', undefined],
  ['12,34', undefined],
  [-1, undefined],
  [1.5, undefined],
  ['9007199254740993', undefined],
  ['', undefined],
  [null, undefined],
])('counts %j as %j', (value, count) => {
  expect(countOf(value)).toBe(count)
})
