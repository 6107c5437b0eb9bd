import { expect, it } from 'vitest'
import { fits } from '../src/shape.js'

const shape = { v: 1, name: 'string', list: [{ n: 'number' }] } as const

it.each([
  [{ v: 1, name: 'a', list: [] }, true],
  [{ v: 1, name: 'a', list: [{ n: 1 }, { n: 2 }] }, true],
  [{ v: 1, name: 'a', list: [{ n: '1' }] }, false],
  [{ v: 1, name: 'a', list: [null] }, false],
  [{ v: 1, name: 'a', list: {} }, false],
  [{ v: 1, name: 'a' }, false],
  [{ v: 1, name: 'a', list: [], other: 1 }, false],
  [Object.create({ v: 1, name: 'a', list: [] }), false],
  [{ v: 2, name: 'a', list: [] }, false],
  [[], false],
  [null, false],
  ['a', false],
])('%o has the shape: %s', (value, expected) => {
  expect(fits(value, shape)).toBe(expected)
})

it.each([
  ['0a'.repeat(32), true],
  ['0A'.repeat(32), false],
  ['0a'.repeat(31), false],
  [7, false],
])('%o is a SHA-256: %s', (value, expected) => {
  expect(fits(value, 'sha256')).toBe(expected)
})
