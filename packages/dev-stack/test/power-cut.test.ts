import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { collectorApi, iodsApi } from '@iodine/contracts'
import { iodInput, signUp, startMailCatcher, temporaryFolder, tiktokPost } from '@iodine/test-kit'
import { afterAll, beforeAll, expect, test } from 'vitest'

// The built package, as `npm start` runs it: only processes of their own can be killed.
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
      RATE_LIMITS: 'off',
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

/** Ids of the processes that work in the data folder or name it. */
const onTheFolder = () =>
  readdirSync('/proc').filter(pid => {
    try {
      const about = [readlinkSync(`/proc/${pid}/cwd`), readFileSync(`/proc/${pid}/cmdline`, 'utf8')]
      return about.some(text => text.includes(folder.path))
    } catch {
      return false
    }
  })

test('what was acknowledged before a kill -9 is there after the next start', async () => {
  const first = start()
  const { api, email, token } = await signUp({ url: await first.url, mail })
  const records = Array.from({ length: 20 }, () => tiktokPost())
  await api.call(collectorApi.ingestRecords, { params: { source: 'tiktok' }, body: { records } })
  const acknowledged: string[] = []
  const writing = (async () => {
    for (;;) acknowledged.push((await api.call(iodsApi.createIod, { body: iodInput() })).id)
  })().catch(() => {})
  while (acknowledged.length < 20) await sleep(10)
  first.child.kill('SIGKILL')
  await Promise.all([first.exited, writing])

  const second = start()
  const url = await second.url
  const again = (path: string) =>
    fetch(`${url}/api/v1${path}`, { headers: { authorization: `Bearer ${token}` } }).then(answer =>
      answer.json(),
    )
  expect(await again('/profile/me')).toMatchObject({ email })
  expect(await again('/tiktok/data')).toHaveLength(20)
  const ids = new Set(((await again('/iods')) as { id: string }[]).map(iod => iod.id))
  expect(acknowledged.filter(id => !ids.has(id))).toEqual([])

  second.child.kill('SIGTERM')
  second.child.kill('SIGINT')
  const { code, lines } = await second.exited
  expect(code).toBe(0)
  expect(lines).toEqual([`ready ${url}`])
  expect(onTheFolder()).toEqual([])
}, 120_000)

test('a wrong environment ends it with every fault and status 1', async () => {
  const { code, lines, complaints } = await start({ PORT: 'x', REDIS_URL: 'nowhere', ADMIN_EMAILS: 'me' })
    .exited
  expect(code).toBe(1)
  expect(lines).toEqual([])
  for (const name of ['PORT', 'REDIS_URL', 'ADMIN_EMAILS']) expect(complaints).toContain(`- ${name}`)
})
