import { expect, it } from 'vitest'
import { createNextFlight } from '../src/index.js'

it('shares work that is yet to start, never work under way, and survives failures', async () => {
  const next = createNextFlight<string, number>()
  const ends: ((error?: Error) => void)[] = []
  const work = () =>
    new Promise<number>((resolve, reject) => {
      const n = ends.push(error => (error ? reject(error) : resolve(n)))
    })
  const started = (n: number) => expect.poll(() => ends.length).toBe(n)
  const first = next('a', work)
  await started(1)
  const second = [next('a', work), next('a', work)]
  const other = next('b', work)
  // Another key does not wait.
  await started(2)
  ends[1]?.()
  expect(await other).toBe(2)
  expect(ends).toHaveLength(2)
  ends[0]?.(new Error('lost'))
  await expect(first).rejects.toThrow('lost')
  await started(3)
  const third = next('a', work)
  ends[2]?.()
  expect(await Promise.all(second)).toEqual([3, 3])
  await started(4)
  ends[3]?.()
  expect(await third).toBe(4)
})
