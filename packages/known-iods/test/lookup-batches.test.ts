import { expect, test } from 'vitest'
import { lookupBatches } from '../src'

test('splits by number, and includes each value once', () => {
  const values = Array.from({ length: 2_100 }, (_, index) => `value ${index}`)
  const batches = lookupBatches([...values, 'value 0'])
  expect(batches.map(batch => batch.length)).toEqual([1_000, 1_000, 100])
  expect(batches.flat()).toEqual(values)
  expect(lookupBatches([])).toEqual([])
})

test('splits by length, so that a call stays below 1 MB in any script', () => {
  const values = Array.from({ length: 30 }, (_, index) => `${index}${'\u2028'.repeat(9_900)}`)
  const batches = lookupBatches(values)
  expect(batches.flat()).toEqual(values)
  const bytes = batches.map(batch => new TextEncoder().encode(JSON.stringify(batch)).length)
  expect(Math.max(...bytes)).toBeLessThan(1_000_000)
  expect(lookupBatches(['x'.repeat(500_000), 'y']).map(batch => batch.length)).toEqual([1, 1])
})
