/**
 * Duration of requests to the campaigns service during an import of 64 MiB, compared with no import: with one process for
 * requests (`ROLE=api`) and two for jobs (`ROLE=jobs`), of which one is killed during work, and with one process for both.
 *
 *   npm run bench -- roles
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { campaignsApi, importsApi, LIMITS } from '@iodine/contracts'
import { startEmbeddedMongo } from '@iodine/embedded-mongo'
import { startTestApp } from '@iodine/harness'
import { freePorts, localUrl } from '@iodine/local-servers'
import { NO_LIMITS, quantile, temporaryFolder } from '@iodine/test-kit'
import { count, ratio, table } from './lib/measure.js'
import { bundleOf, untilImport } from './lib/stix.js'

const serverOf = (service: Service) =>
  join(import.meta.dirname, `../../../services/${service}/dist/server.js`)
const QUIET_MS = 30_000
const EVERY_MS = 20
/** Pads the file to the maximum size of an import. */
const PADDING = 190

/** The services that process an import. */
type Service = 'campaigns' | 'iods'

const folder = temporaryFolder()
const mongo = await startEmbeddedMongo({ dataDir: folder.path, isolate: 'process' })
const app = await startTestApp({ env: { ...NO_LIMITS, LOG_LEVEL: 'silent', MONGODB_URI: mongo.uri } })
const children: ChildProcess[] = []
const start = async (service: Service, ROLE: string, at = app.parts[service].url) => {
  const child = spawn(process.execPath, [serverOf(service)], {
    env: { ...app.parts[service].env, ROLE, PORT: new URL(at).port },
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
  await Promise.all([app.parts.campaigns.stop(), app.parts.iods.stop()])
  await start('iods', 'all')
  const { api } = await app.signUp()
  const requests = [await start('campaigns', 'api')]
  const { id } = await api.call(campaignsApi.createCampaign, { body: { name: 'Read' } })
  /** Sends requests until `work` ends. Returns the duration of each in milliseconds. */
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
    return times
  }
  /** Imports a file and calls `halfway` once half of it is applied. */
  const runImport = async (mark: string, halfway: () => Promise<unknown>) => {
    const { id: campaign_id } = await api.call(campaignsApi.createCampaign, { body: { name: mark } })
    const query = { campaign_id, format: 'stix' as const }
    const body = bundleOf(LIMITS.importObjects, 10, mark, PADDING)
    const { id } = await api.call(importsApi.createImport, { query, body })
    const until = (isReached: Parameters<typeof untilImport>[2]) => untilImport(api, id, isReached, 100)
    await until(state => state === 'planned')
    await api.call(importsApi.applyImport, { params: { id }, body: {} })
    await until((state, share) => state === 'done' || (state === 'applying' && share > 0.5))
    await halfway()
    await until(state => state === 'done')
  }
  const rows: string[][] = []
  let quiet: number[] = []
  const add = (name: string, times: number[]) =>
    rows.push([
      name,
      String(times.length),
      ...[0.5, 0.99].flatMap(share => [
        count(quantile(times, share)),
        ratio(quantile(times, share), quantile(quiet, share)),
      ]),
    ])

  await during(sleep(5_000))
  quiet = await during(sleep(QUIET_MS))
  add('no import', quiet)
  const ports = await freePorts(2)
  const jobs = await Promise.all(ports.map(port => start('campaigns', 'jobs', localUrl('127.0.0.1', port))))
  const [first] = jobs as [ChildProcess]
  add('ROLE=api, beside two of ROLE=jobs, one killed', await during(runImport('apart', () => kill(first))))
  for (const child of [...jobs.slice(1), ...requests]) await kill(child)
  await start('campaigns', 'all')
  await during(sleep(5_000))
  add('ROLE=all', await during(runImport('together', async () => {})))
  table(['', 'requests', 'median, ms', 'ratio', 'p99, ms', 'ratio'], rows)
} finally {
  for (const child of children) child.kill('SIGKILL')
  await app.stop()
  await mongo.stop()
  folder.remove()
}
