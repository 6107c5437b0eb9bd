import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { collectorApi, iodsApi } from '@iodine/contracts'
import {
  apiClient,
  iodInput,
  NO_LIMITS,
  runs,
  signUp,
  startMailCatcher,
  temporaryFolder,
  tiktokPost,
} from '@iodine/test-kit'
import { afterAll, beforeAll, expect, test } from 'vitest'

// The built package, as started by `npm start`: only separate processes can be killed.
const main = fileURLToPath(new URL('../dist/main.js', import.meta.url))
const folder = temporaryFolder()
const children = new Set<ChildProcess>()
let mail: Awaited<ReturnType<typeof startMailCatcher>>
beforeAll(async () => {
  mail = await startMailCatcher()
})
afterAll(async () => {
  for (const child of children) child.kill('SIGKILL')
  await mail.stop()
  folder.remove()
})

const start = (env: Record<string, string> = {}) => {
  const child = spawn(process.execPath, [main], {
    env: {
      PATH: process.env.PATH,
      PORT: '0',
      DATA_DIR: folder.path,
      SMTP_URL: mail.url,
      ...NO_LIMITS,
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  children.add(child)
  const lines: string[] = []
  let complaints = ''
  child.stderr.on('data', chunk => {
    complaints += chunk
  })
  const exited = once(child, 'close').then(([code]) => ({ code, lines, complaints }))
  const url = new Promise<string>((resolve, reject) => {
    createInterface(child.stdout).on('line', line => {
      lines.push(line)
      if (line.startsWith('ready ')) resolve(line.slice('ready '.length))
    })
    void exited.then(({ code }) => reject(new Error(`ended with ${code}: ${complaints}`)))
  })
  url.catch(() => {})
  return { child, url, exited }
}

/** Returns the ids of the processes that use the data folder or have it in their command line. */
const onTheFolder = () =>
  readdirSync('/proc').filter(pid => {
    try {
      const about = [readlinkSync(`/proc/${pid}/cwd`), readFileSync(`/proc/${pid}/cmdline`, 'utf8')]
      return about.some(text => text.includes(folder.path))
    } catch {
      return false
    }
  })

test('the next start after a kill -9 has all acknowledged data', {
  tags: 'long',
  timeout: runs(2) * 60_000,
}, async () => {
  let running = start()
  const { email, token } = await signUp({ url: await running.url, mail })
  const kept = { tiktok: [] as string[], iods: [] as string[] }
  for (let round = 0; round < runs(2); round++) {
    const { child, exited } = running
    const { call } = apiClient(await running.url, token)
    const iods = async () => {
      for (;;) kept.iods.push((await call(iodsApi.createIod, { body: iodInput() })).id)
    }
    const batches = async () => {
      for (let answers = 1; ; answers++) {
        const records = Array.from({ length: 50 }, () => tiktokPost())
        const { results } = await call(collectorApi.ingestRecords, {
          params: { source: 'tiktok' },
          body: { records },
        })
        kept.tiktok.push(...results.map(result => ('id' in result ? result.id : 'not taken')))
        if (answers === 5) child.kill('SIGKILL')
      }
    }
    await Promise.allSettled([iods(), batches(), exited])

    running = start()
    const url = await running.url
    const again = (path: string) =>
      fetch(`${url}/api/v1${path}`, { headers: { authorization: `Bearer ${token}` } })
    expect(await (await again('/profile/me')).json()).toMatchObject({ email })
    for (const [path, acknowledged] of [
      ['/tiktok/data', kept.tiktok],
      ['/iods', kept.iods],
    ] as const) {
      const ids = ((await (await again(path)).json()) as { id: string }[]).map(({ id }) => id)
      const known = new Set(ids)
      expect(acknowledged.filter(id => !known.has(id))).toEqual([])
      expect(known.size).toBe(ids.length)
      expect((await again(`${path}?limit=1`)).headers.get('x-total-count')).toBe(String(ids.length))
    }
  }
  expect(kept.tiktok.length).toBeGreaterThanOrEqual(runs(2) * 250)

  const url = await running.url
  running.child.kill('SIGTERM')
  running.child.kill('SIGINT')
  const { code, lines } = await running.exited
  expect(code).toBe(0)
  expect(lines).toEqual([`ready ${url}`])
  expect(onTheFolder()).toEqual([])
})

test('an invalid environment ends the start with all faults and status 1', { tags: 'long' }, async () => {
  const { code, lines, complaints } = await start({ PORT: 'x', REDIS_URL: 'nowhere', ADMIN_EMAILS: 'me' })
    .exited
  expect(code).toBe(1)
  expect(lines).toEqual([])
  for (const name of ['PORT', 'REDIS_URL', 'ADMIN_EMAILS']) expect(complaints).toContain(`- ${name}`)
})
