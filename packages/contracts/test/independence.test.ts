import { expect, it } from 'vitest'
import { showsIndependence } from '../src/index.js'

it.each([
  [2, { for: 0.5, against: 0 }, false],
  [3, { for: 1, against: 0.5 }, true],
  [3, { for: 1, against: 0.51 }, false],
  [12, { for: 3.1, against: 0 }, true],
  [12, undefined, false],
])('of %i votes, %o independent ones are shown: %s', (votes, independent, isShown) => {
  expect(showsIndependence(votes, independent)).toBe(isShown)
})
