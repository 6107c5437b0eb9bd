import { expect, it, vi } from 'vitest'
import { createSlots } from '../src/coordination/policies/slots.js'

/** Starts numbered pieces of work, each of which runs until `end` is called. */
const startWork = (inSlot: ReturnType<typeof createSlots>) => {
  const begun: number[] = []
  const ends = new Map<number, () => void>()
  const start = (n: number) =>
    inSlot(() => {
      begun.push(n)
      return new Promise<void>(resolve => ends.set(n, resolve))
    })
  return { begun, start, end: (n: number) => ends.get(n)?.() }
}

it('slots run their number of works at once, and queue the others in order', async () => {
  const { begun, start, end } = startWork(createSlots(2, 60_000))
  const all = [1, 2, 3, 4].map(start)
  await vi.waitFor(() => expect(begun).toEqual([1, 2]))
  end(2)
  await vi.waitFor(() => expect(begun).toEqual([1, 2, 3]))
  for (const n of [1, 3]) end(n)
  await vi.waitFor(() => expect(begun).toEqual([1, 2, 3, 4]))
  end(4)
  await Promise.all(all)
})

it('slots of slow work are released to the queue once', async () => {
  const { begun, start, end } = startWork(createSlots(1, 20))
  const all = [1, 2].map(start)
  await vi.waitFor(() => expect(begun).toEqual([1, 2]))
  for (const n of [1, 2]) end(n)
  await Promise.all(all)
  const slow = startWork(createSlots(1, 60_000))
  const rest = [1, 2, 3].map(slow.start)
  await vi.waitFor(() => expect(slow.begun).toEqual([1]))
  slow.end(1)
  await vi.waitFor(() => expect(slow.begun).toEqual([1, 2]))
  slow.end(2)
  await vi.waitFor(() => expect(slow.begun).toEqual([1, 2, 3]))
  slow.end(3)
  await Promise.all(rest)
})

it('slots are released by failing work', async () => {
  const inSlot = createSlots(1, 60_000)
  const failed = inSlot(() => Promise.reject(new Error('no')))
  const next = inSlot(async () => 'done')
  await expect(failed).rejects.toThrow('no')
  expect(await next).toBe('done')
})
