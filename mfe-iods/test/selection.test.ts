import { expect, test } from 'vitest'
import { EMPTY_SELECTION, rangeOf, SELECTED_MAX, withSelected } from '../src/model/selection'
import { iod } from './fixtures'

const many = (count: number) => Array.from({ length: count }, (_, n) => iod(`value ${n}`))

test('adds each IOD once, in order, and removes IODs', () => {
  const [a, b, c] = many(3) as [ReturnType<typeof iod>, ReturnType<typeof iod>, ReturnType<typeof iod>]
  const { selection } = withSelected(EMPTY_SELECTION, [b, a, b], true)
  expect([...selection.values()]).toEqual([b, a])
  expect([...withSelected(selection, [b, c], false).selection.values()]).toEqual([a])
  expect(EMPTY_SELECTION.size).toBe(0)
})

test('omits and counts IODs beyond 5,000, unless they are already selected', () => {
  const iods = many(SELECTED_MAX + 2)
  const full = withSelected(EMPTY_SELECTION, iods, true)
  expect([full.selection.size, full.omitted]).toEqual([5_000, 2])
  expect(withSelected(full.selection, iods.slice(0, 3), true).omitted).toBe(0)
  expect(withSelected(full.selection, iods.slice(-2), true)).toMatchObject({ omitted: 2 })
})

test('selects a range in both directions, or one IOD if the other end is not in the list', () => {
  const iods = many(5)
  const [, b, , d] = iods as ReturnType<typeof iod>[] as [never, (typeof iods)[0], never, (typeof iods)[0]]
  expect(rangeOf(iods, b?.id, d as never)).toEqual(iods.slice(1, 4))
  expect(rangeOf(iods, d?.id, b as never)).toEqual(iods.slice(1, 4))
  expect(rangeOf(iods, 'gone', b as never)).toEqual([b])
  expect(rangeOf(iods, undefined, b as never)).toEqual([b])
})
