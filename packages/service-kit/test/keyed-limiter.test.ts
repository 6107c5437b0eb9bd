import { setImmediate } from 'node:timers/promises'
import { DETAILS } from '@iodine/contracts'
import { deferred } from '@iodine/test-kit'
import { expect, it } from 'vitest'
import { createKeyedLimiter, Streamed } from '../src/index.js'

/** Work that ends when the test says so. */
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

it('one runs and the newest waits; those that waited before are refused at once', async () => {
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

it('keys are apart, and a failure ends the turn', async () => {
  const limiter = createKeyedLimiter()
  const first = held()
  const one = limiter('key', first.work)
  expect(await limiter('other', async () => 'quick')).toBe('quick')
  const two = limiter('key', async () => 'second')
  first.fail(new Error('broken'))
  await expect(one).rejects.toThrow('broken')
  expect(await two).toBe('second')
})

it('a streamed answer ends with its stream', async () => {
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

it('work that never ends does not hold the next one up forever', async () => {
  const limiter = createKeyedLimiter(5)
  const hung = held()
  void limiter('key', hung.work)
  expect(await limiter('key', async () => 'next')).toBe('next')
})
