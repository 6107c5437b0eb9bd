import { setImmediate } from 'node:timers/promises'
import { deferred } from '@iodine/test-kit'
import { describe, expect, it } from 'vitest'
import { createSharedReads, createSingleFlight } from '../src/index.js'

/** A read that ends when the test resolves it. */
const held = <T>() => {
  const { promise, resolve, reject } = deferred<T>()
  let begun = false
  return {
    read: () => {
      begun = true
      return promise
    },
    isBegun: () => begun,
    end: resolve,
    fail: reject,
  }
}

describe('shared reads', () => {
  it('answers waiting callers by one read, which begins after their calls', async () => {
    const shared = createSharedReads<string, number>()
    const [first, second] = [held<number>(), held<number>()]
    const one = shared('key', first.read)
    const others = Array.from({ length: 20 }, () => shared('key', second.read))
    await setImmediate()
    expect([first.isBegun(), second.isBegun()]).toEqual([true, false])
    first.end(1)
    expect(await one).toBe(1)
    second.end(2)
    expect(await Promise.all(others)).toEqual(others.map(() => 2))
    // Results are not cached: the next call reads again.
    expect(await shared('key', async () => 3)).toBe(3)
  })

  it.each([
    ['shared reads', createSharedReads<string, number>()],
    ['single flights', createSingleFlight<string, number>()],
  ])('%s run a lazy query once: mongoose runs it for each `then`', async (_, shared) => {
    let runs = 0
    const lazy = () => {
      const run = async () => ++runs
      // biome-ignore lint/suspicious/noThenProperty: as mongoose's aggregates have it
      return { then: (...on: []) => run().then(...on), finally: (...on: []) => run().finally(...on) }
    }
    const both = [shared('key', lazy as never), shared('key', lazy as never)]
    const answers = new Set(await Promise.all(both))
    expect(runs).toBe(answers.size)
  })

  it('separates keys', async () => {
    const shared = createSharedReads<string, number>()
    const slow = held<number>()
    const one = shared('slow', slow.read)
    expect(await shared('quick', async () => 2)).toBe(2)
    slow.end(1)
    expect(await one).toBe(1)
  })

  it('rejects for callers that share a failed read, and reads again for the others', async () => {
    const shared = createSharedReads<string, number>()
    const first = held<number>()
    const one = shared('key', first.read)
    const other = shared('key', async () => 2)
    first.fail(new Error('broken'))
    await expect(one).rejects.toThrow('broken')
    expect(await other).toBe(2)
  })

  it('does not wait forever for a read that hangs', async () => {
    const shared = createSharedReads<string, number>(1)
    const hung = held<number>()
    const one = shared('key', hung.read)
    expect(await shared('key', async () => 2)).toBe(2)
    expect(await shared('key', async () => 3)).toBe(3)
    hung.end(1)
    expect(await one).toBe(1)
  })

  it('never returns a value read before the call, in any order of writes and reads', async () => {
    const shared = createSharedReads<string, number>()
    let stored = 0
    let reads = 0
    /** As a database: the value of some moment between begin and end. */
    const read = async () => {
      reads++
      const turns = Math.floor(Math.random() * 4)
      for (let turn = 0; turn < turns; turn++) await setImmediate()
      const found = stored
      for (let turn = 0; turn < 3 - turns; turn++) await setImmediate()
      return found
    }
    const calls = 2_000
    const answers: Promise<void>[] = []
    for (let call = 0; call < calls; call++) {
      if (Math.random() < 0.3) stored++
      const acknowledged = stored
      answers.push(
        shared('key', read).then(found => {
          expect(found).toBeGreaterThanOrEqual(acknowledged)
        }),
      )
      if (Math.random() < 0.3) await setImmediate()
    }
    await Promise.all(answers)
    expect(reads).toBeLessThan(calls / 2)
  })
})
