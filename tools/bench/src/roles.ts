/**
 * Requests to the campaigns service while it plans and applies an import of 64 MiB: with one process for requests
 * (`ROLE=api`) and two for jobs (`ROLE=jobs`), of which one is killed at work, and with one process for both; beside the
 * same requests without an import.
 *
 *   npm run bench -- roles
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { campaignsApi, importsApi, LIMITS } from '@iodine/contracts'
import { startEmbeddedMongo } from '@iodine/embedded-mongo'
import { startTestStack } from '@iodine/harness'
import { freePorts, localUrl } from '@iodine/local-servers'
import { NO_LIMITS, temporaryFolder } from '@iodine/test-kit'
import { count, ratio, table } from './lib/measure.js'

const SERVER = join(import.meta.dirname, '../../../services/campaigns/dist/server.js')
const QUIET_MS = 30_000
const EVERY_MS = 20
/** Of 200,000 objects, the most that an import may have. The file is as large as it may be. */
const objectOf = (mark: string, n: number) => {
  const id = `--00000000-0000-4000-8000-${String(n).padStart(12, '0')}`
  return n % 10 === 0
    ? `{"type":"indicator","id":"indicator${id}","modified":"2026-01-01T00:00:00Z","pattern_type":"stix","pattern":"[url:value = 'https://example.org/${mark}/${n}']","x":"${'i'.repeat(120)}"}`
    : `{"type":"x-note","id":"x-note${id}","modified":"2026-01-01T00:00:00Z","text":"${'n'.repeat(210)}"}`
}
const fileOf = (mark: string): Uint8Array<ArrayBuffer> => {
  const list = Array.from({ length: LIMITS.importObjects }, (_, n) => objectOf(mark, n))
  return new TextEncoder().encode(`{"type":"bundle","objects":[${list.join(',')}]}`)
}

const folder = temporaryFolder()
const mongo = await startEmbeddedMongo({ dataDir: folder.path, isolate: 'process' })
const stack = await startTestStack({ env: { ...NO_LIMITS, LOG_LEVEL: 'silent', MONGODB_URI: mongo.uri } })
const { url, env, stop } = stack.parts.campaigns
const children: ChildProcess[] = []
const start = async (ROLE: string, at = url) => {
  const child = spawn(process.execPath, [SERVER], {
    env: { ...env, ROLE, PORT: new URL(at).port },
    stdio: 'ignore',
  })
  children.push(child)
  while (!(await fetch(`${at}/readyz`).catch(() => undefined))?.ok) await sleep(50)
  return child
}
const kill = async (child: ChildProcess) => {
  const exited = once(child, 'exit')
  child.kill('SIGKILL')
  await exited
}
try {
  await stop()
  const { api } = await stack.signUp()
  const requests = [await start('api')]
  const { id } = await api.call(campaignsApi.createCampaign, { body: { name: 'Read' } })
  /** Milliseconds of each request until `work` ends. */
  const during = async (work: Promise<unknown>): Promise<number[]> => {
    const times: number[] = []
    let isOver = false
    const ended = work.finally(() => {
      isOver = true
    })
    while (!isOver) {
      const from = performance.now()
      await api.call(campaignsApi.getCampaign, { params: { id }, query: { limit: 20 } })
      times.push(performance.now() - from)
      await sleep(EVERY_MS)
    }
    await ended
    return times.sort((a, b) => a - b)
  }
  /** Imports a file and calls `halfway` once half of it is applied. */
  const runImport = async (mark: string, halfway: () => Promise<unknown>) => {
    const { id: campaign_id } = await api.call(campaignsApi.createCampaign, { body: { name: mark } })
    const query = { campaign_id, format: 'stix' as const }
    const made = await api.call(importsApi.createImport, { query, body: fileOf(mark) })
    const params = { id: made.id }
    let isHalfway = false
    for (;;) {
      const { state, done, objects, problem } = await api.call(importsApi.getImport, { params })
      if (state === 'done') return
      if (state === 'failed') throw new Error(problem ?? 'failed')
      if (state === 'planned') await api.call(importsApi.applyImport, { params, body: {} })
      if (state === 'applying' && !isHalfway && done > (objects ?? 0) / 2) {
        isHalfway = true
        await halfway()
      }
      await sleep(100)
    }
  }
  const rows: string[][] = []
  const at = (times: number[], share: number) => times[Math.floor(times.length * share)] as number
  let quiet: number[] = []
  const add = (name: string, times: number[]) =>
    rows.push([
      name,
      String(times.length),
      ...[0.5, 0.99].flatMap(share => [count(at(times, share)), ratio(at(times, share), at(quiet, share))]),
    ])

  await during(sleep(5_000))
  quiet = await during(sleep(QUIET_MS))
  add('no import', quiet)
  const ports = await freePorts(2)
  const jobs = await Promise.all(ports.map(port => start('jobs', localUrl('127.0.0.1', port))))
  const [first] = jobs as [ChildProcess]
  add('ROLE=api, beside two of ROLE=jobs, one killed', await during(runImport('apart', () => kill(first))))
  for (const child of [...jobs.slice(1), ...requests]) await kill(child)
  await start('all')
  await during(sleep(5_000))
  add('ROLE=all', await during(runImport('together', async () => {})))
  table(['', 'requests', 'median, ms', 'ratio', 'p99, ms', 'ratio'], rows)
} finally {
  for (const child of children) child.kill('SIGKILL')
  await stack.stop()
  await mongo.stop()
  folder.remove()
}
