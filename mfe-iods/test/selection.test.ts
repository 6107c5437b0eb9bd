import { expect, test } from 'vitest'
import { NOTHING, rangeOf, SELECTED_MAX, withSelected } from '../src/model/selection'
import { iod } from './fixtures'

const many = (count: number) => Array.from({ length: count }, (_, n) => iod(`value ${n}`))

test('IODs are selected once each, in their order, and taken away', () => {
  const [a, b, c] = many(3) as [ReturnType<typeof iod>, ReturnType<typeof iod>, ReturnType<typeof iod>]
  const { selection } = withSelected(NOTHING, [b, a, b], true)
  expect([...selection.values()]).toEqual([b, a])
  expect([...withSelected(selection, [b, c], false).selection.values()]).toEqual([a])
  expect(NOTHING.size).toBe(0)
})

test('beyond 5,000 the rest is left out and counted; those selected already need no room', () => {
  const iods = many(SELECTED_MAX + 2)
  const full = withSelected(NOTHING, iods, true)
  expect([full.selection.size, full.left]).toEqual([5_000, 2])
  expect(withSelected(full.selection, iods.slice(0, 3), true).left).toBe(0)
  expect(withSelected(full.selection, iods.slice(-2), true)).toMatchObject({ left: 2 })
})

test('a range goes either way, and is the one IOD where its other end is not in the list', () => {
  const iods = many(5)
  const [, b, , d] = iods as ReturnType<typeof iod>[] as [never, (typeof iods)[0], never, (typeof iods)[0]]
  expect(rangeOf(iods, b?.id, d as never)).toEqual(iods.slice(1, 4))
  expect(rangeOf(iods, d?.id, b as never)).toEqual(iods.slice(1, 4))
  expect(rangeOf(iods, 'gone', b as never)).toEqual([b])
  expect(rangeOf(iods, undefined, b as never)).toEqual([b])
})
