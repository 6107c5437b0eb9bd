import { expect, test } from 'vitest'
import {
  formatCount,
  formatFrenchDate,
  formatFrenchRelative,
  formatLongDate,
  formatRelative,
  truncate,
} from '../src'

test('formats dates for each screen', () => {
  expect(formatLongDate('2025-06-17T10:00:00.000Z')).toBe('June 17, 2025')
  expect(formatFrenchDate('2025-06-17T10:00:00.000Z')).toBe('17 juin 2025')
  expect(formatLongDate('nonsense')).toBe('')
})

test('marks a count that is a lower bound with a plus', () => {
  expect([formatCount(12_345), formatCount(10_000, false)]).toEqual(['12,345', '10,000+'])
})

test('expresses relative times in the largest whole unit', () => {
  const now = Date.parse('2026-06-17T12:00:00.000Z')
  const ago = (seconds: number) => formatRelative(now - seconds * 1000, now)
  expect([ago(10), ago(60), ago(3 * 3600), ago(86_400), ago(40 * 86_400)]).toEqual([
    'just now',
    '1 minute ago',
    '3 hours ago',
    'yesterday',
    'last month',
  ])
  const ilYA = (seconds: number) => formatFrenchRelative(now - seconds * 1000, now)
  expect([ilYA(10), ilYA(3 * 3600), ilYA(86_400)]).toEqual(['à l’instant', 'il y a 3 heures', 'hier'])
})

test('truncates at code points and marks the cut', () => {
  expect(truncate('abcd', 4)).toBe('abcd')
  expect(truncate('abcde', 4)).toBe('abcd…')
  expect(truncate('😀😀😀', 2)).toBe('😀😀…')
})
