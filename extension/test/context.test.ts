import { timestamp } from '@iodine/contracts'
import { draws } from '@iodine/test-kit/rounds'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { timeOf } from '../src/sources/context'

it.each([
  '2026-11-20T08:00:00+00:00',
  '2026-11-20T08:00Z',
  '2024-02-29T23:59:59.123456-11:30',
  '2026-02-29T00:00:00Z',
  '2026-02-30T00:00:00Z',
  '2026-13-01T00:00:00Z',
  '2026-00-10T00:00:00Z',
  '0000-01-01T00:00:00Z',
  '2026-11-20T24:00:00Z',
  '2026-11-20T08:00:60Z',
  '2026-11-20T08:00:00',
  '2026-11-20 08:00:00Z',
  '2026-11-20t08:00:00z',
  '2026-11-20',
  'yesterday',
])('the time %s is read if the contract takes it, so that no time spoils a record', text => {
  expect(timeOf(text) !== undefined).toBe(timestamp.safeParse(text).success)
})

it('agrees with the contract on any time', () => {
  const digits = (max: number) => fc.nat(max).map(n => String(n).padStart(2, '0'))
  const time = fc
    .tuple(fc.constantFrom('2024', '2026', '1900', '2000'), ...[13, 32, 25, 61, 61, 25, 61].map(digits))
    .map(([y, mo, d, h, mi, s, zh, zm]) => `${y}-${mo}-${d}T${h}:${mi}:${s}+${zh}:${zm}`)
  fc.assert(
    fc.property(time, text => timeOf(text) === (timestamp.safeParse(text).success ? text : undefined)),
    draws(100),
  )
})
