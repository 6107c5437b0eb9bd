import { expect, it, vi } from 'vitest'
import { createTurns } from '../src/policies/turns.js'

/** Pieces of work that are under way until they are told to end. */
const startWork = (inTurn: ReturnType<typeof createTurns>) => {
  const begun: number[] = []
  const ends = new Map<number, () => void>()
  const start = (n: number) =>
    inTurn(() => {
      begun.push(n)
      return new Promise<void>(resolve => ends.set(n, resolve))
    })
  return { begun, start, end: (n: number) => ends.get(n)?.() }
}

it('does so many at once, and the others in their order', async () => {
  const { begun, start, end } = startWork(createTurns(2, 60_000))
  const all = [1, 2, 3, 4].map(start)
  await vi.waitFor(() => expect(begun).toEqual([1, 2]))
  end(2)
  await vi.waitFor(() => expect(begun).toEqual([1, 2, 3]))
  for (const n of [1, 3]) end(n)
  await vi.waitFor(() => expect(begun).toEqual([1, 2, 3, 4]))
  end(4)
  await Promise.all(all)
})

it('lets the next begin beside one that takes long, once', async () => {
  const { begun, start, end } = startWork(createTurns(1, 20))
  const all = [1, 2].map(start)
  await vi.waitFor(() => expect(begun).toEqual([1, 2]))
  for (const n of [1, 2]) end(n)
  await Promise.all(all)
  const slow = startWork(createTurns(1, 60_000))
  const rest = [1, 2, 3].map(slow.start)
  await vi.waitFor(() => expect(slow.begun).toEqual([1]))
  slow.end(1)
  await vi.waitFor(() => expect(slow.begun).toEqual([1, 2]))
  slow.end(2)
  await vi.waitFor(() => expect(slow.begun).toEqual([1, 2, 3]))
  slow.end(3)
  await Promise.all(rest)
})

it('goes on after work that fails', async () => {
  const inTurn = createTurns(1, 60_000)
  const failed = inTurn(() => Promise.reject(new Error('no')))
  const next = inTurn(async () => 'done')
  await expect(failed).rejects.toThrow('no')
  expect(await next).toBe('done')
})
