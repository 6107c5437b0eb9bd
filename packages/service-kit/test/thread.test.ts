import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { createThreads, startThread } from '../src/index.js'

/** Answers with the number of its calls, after `ms`; throws for `error`. */
const FILE = `import { parentPort } from 'node:worker_threads'
let calls = 0
parentPort.on('message', ({ ms = 0, error, exit }) => {
  if (error) throw new Error(error)
  if (exit) process.exit(exit)
  setTimeout(() => parentPort.postMessage(++calls), ms)
})`

type Call = { ms?: number; error?: string; exit?: number }
let folder = ''
let caller = ''
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'thread-'))
  mkdirSync(join(folder, 'dist'))
  writeFileSync(join(folder, 'dist/work.mjs'), FILE)
  caller = pathToFileURL(join(folder, 'src/start.ts')).href
})
afterAll(() => rmSync(folder, { recursive: true }))

const threads = (ms = 60_000) => createThreads<Call, number>(caller, './work.mjs', { name: 'the work', ms })

it('names the missing file if the package is not built', () => {
  expect(() => startThread('file:///part/src/a/src/start.ts', './work.js')).toThrow(
    '/part/src/a/dist/work.js is missing. Build first: threads run compiled code.',
  )
})

it('runs later calls in the same thread, and concurrent ones in threads of their own', async () => {
  const run = threads()
  expect(await run({})).toBe(1)
  expect(await run({})).toBe(2)
  expect((await Promise.all([run({}), run({})])).sort()).toEqual([1, 3])
})

it('ends a thread that had no call for a minute', async () => {
  const run = threads()
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  try {
    await run({})
    vi.advanceTimersByTime(59_999)
    expect(await run({})).toBe(2)
    vi.advanceTimersByTime(60_000)
    expect(await run({})).toBe(1)
  } finally {
    vi.useRealTimers()
  }
})

it('rejects with the error of a thread, which is replaced', async () => {
  const run = threads()
  expect(await run({})).toBe(1)
  await expect(run({ error: 'no memory' })).rejects.toThrow('no memory')
  await expect(run({ exit: 3 })).rejects.toThrow('the work exited with code 3')
  expect(await run({})).toBe(1)
})

it('ends a thread at the timeout', async () => {
  await expect(threads(1)({ ms: 60_000 })).rejects.toThrow('the work timed out')
})
