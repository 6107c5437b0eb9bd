import { startTestRedis, type TestServer } from '@iodine/test-kit'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTimeout, timeoutSignal } from '../src/stalls.js'
import { connectRedis, type Redis } from '../src/stores/redis.js'

const TIMEOUT_MS = 400
let server: TestServer & { pid: number }
let redis: Redis

beforeAll(async () => {
  server = await startTestRedis()
  redis = await connectRedis(server.url, TIMEOUT_MS)
})
afterAll(async () => {
  redis?.disconnect()
  await server?.stop()
})

/** Blocks this process, as a long garbage collection or a busy machine does. */
const stall = (ms: number) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)

it('a timeout excludes the time in which the process was blocked', async () => {
  const ends: string[] = []
  const expired = new Promise<void>(resolve => {
    startTimeout(() => {
      ends.push('expired')
      resolve()
    }, TIMEOUT_MS)
  })
  const signal = timeoutSignal(TIMEOUT_MS)
  stall(3 * TIMEOUT_MS)
  // Timers that became due meanwhile run first.
  await new Promise<void>(resolve => {
    setTimeout(() => {
      ends.push('answered')
      resolve()
    }, 1)
  })
  expect(signal.aborted).toBe(false)
  await expired
  expect(ends).toEqual(['answered', 'expired'])
  await new Promise<void>(resolve => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve())
  })
  expect(signal.reason).toMatchObject({ name: 'TimeoutError' })
})

it('a cancelled timeout does not expire', async () => {
  let hasExpired = false
  startTimeout(() => {
    hasExpired = true
  }, 10)()
  await new Promise<void>(resolve => {
    startTimeout(resolve, 50)
    // The timers of a timeout do not keep the process alive.
    setTimeout(() => {}, 1_000)
  })
  expect(hasExpired).toBe(false)
})

it('an answer of Redis that arrived while the process was blocked is read', async () => {
  const answer = redis.ping()
  stall(3 * TIMEOUT_MS)
  expect(await answer).toBe('PONG')
  expect(redis.status).toBe('ready')
})

it('a command to an unresponsive Redis fails, and later ones at once, until Redis answers', async () => {
  process.kill(server.pid, 'SIGSTOP')
  try {
    await expect(redis.ping()).rejects.toThrow('Command timed out')
    await expect(redis.ping()).rejects.toThrow("Stream isn't writeable")
  } finally {
    process.kill(server.pid, 'SIGCONT')
  }
  await expect.poll(() => redis.ping().catch(() => undefined)).toBe('PONG')
})
