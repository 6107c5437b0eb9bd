import { setImmediate } from 'node:timers/promises'
import { DETAILS } from '@iodine/contracts'
import { deferred } from '@iodine/test-kit'
import { expect, it } from 'vitest'
import { createKeyedLimiter, Streamed } from '../src/index.js'

/** Work that ends when the test resolves it. */
const held = () => {
  const { promise, resolve, reject } = deferred<string>()
  let runs = 0
  return {
    work: () => {
      runs++
      return promise
    },
    runs: () => runs,
    end: resolve,
    fail: reject,
  }
}
const refused = { status: 429, detail: DETAILS.busy, headers: { 'retry-after': '1' } }

it('runs one, queues the newest, and refuses the replaced ones at once', async () => {
  const limiter = createKeyedLimiter()
  const [first, second, third] = [held(), held(), held()]
  const one = limiter('key', first.work)
  const two = limiter('key', second.work)
  const three = limiter('key', third.work)
  await expect(two).rejects.toMatchObject(refused)
  expect([first.runs(), second.runs(), third.runs()]).toEqual([1, 0, 0])
  first.end('first')
  expect(await one).toBe('first')
  await setImmediate()
  expect(third.runs()).toBe(1)
  third.end('third')
  expect(await three).toBe('third')
  expect(await limiter('key', async () => 'fourth')).toBe('fourth')
})

it('separates keys, and frees the slot after a failure', async () => {
  const limiter = createKeyedLimiter()
  const first = held()
  const one = limiter('key', first.work)
  expect(await limiter('other', async () => 'quick')).toBe('quick')
  const two = limiter('key', async () => 'second')
  first.fail(new Error('broken'))
  await expect(one).rejects.toThrow('broken')
  expect(await two).toBe('second')
})

it('holds the slot of a streamed answer until the stream ends', async () => {
  const limiter = createKeyedLimiter()
  let stream: NodeJS.ReadableStream | undefined
  const reply = {
    type: () => reply,
    send(sent: NodeJS.ReadableStream) {
      stream = sent
      return reply
    },
  }
  const answer = await limiter(
    'key',
    async () =>
      new Streamed(
        (async function* () {
          yield 'piece'
        })(),
      ),
  )
  const next = held()
  const two = limiter('key', next.work)
  answer.send(reply as never)
  await setImmediate()
  expect(next.runs()).toBe(0)
  for await (const piece of stream ?? []) expect(String(piece)).toBe('piece')
  next.end('next')
  expect(await two).toBe('next')
})

it('starts the next work after the timeout of work that never ends', async () => {
  const limiter = createKeyedLimiter(5)
  const hung = held()
  void limiter('key', hung.work)
  expect(await limiter('key', async () => 'next')).toBe('next')
})
