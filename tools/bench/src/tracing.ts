/**
 * What tracing costs: requests a second through the gateway to a service that reads MongoDB, without any tracing code,
 * with tracing off, and with every request traced to a collector; and the CPU time that gateway and service take for one.
 * In turns; load, gateways, services and collector are processes of their own, MongoDB is the embedded engine.
 *
 *   npm run bench -- tracing
 */
import { collectorApi } from '@iodine/contracts'
import { median, newId, startTestMongo, startTestRedis, tiktokPost, uniquePrefix } from '@iodine/test-kit'
import { Redis } from 'ioredis'
import { Pool } from 'undici'
import { cpuSeconds } from './lib/cpu.js'
import { atOnce, count, table, timed } from './lib/measure.js'
import { startPart, startUpstream, stopParts } from './lib/parts.js'
import { createSession } from './lib/session.js'

const rounds = Number(process.env.ROUNDS ?? 15)
const requests = Number(process.env.REQUESTS ?? 1_000)
const width = 16

const [redis, mongo] = await Promise.all([startTestRedis(), startTestMongo()])
const prefix = uniquePrefix()
const sessions = new Redis(redis.url)
const { token, jwks } = await createSession(sessions, prefix)
const upstream = await startUpstream(100, jwks)

const startSide = async (env: Record<string, string>, execArgv: string[] = [], build = '.') => {
  const shared = {
    AUTH_URL: upstream,
    REDIS_URL: redis.url,
    REDIS_PREFIX: prefix,
    MONGODB_URI: mongo.url,
    MONGODB_PREFIX: prefix,
    SERVICE_KEY: newId() + newId(),
    // Counted as ever, but never reached.
    USER_REQUESTS_A_MINUTE: '1000000000',
    ...env,
  }
  const service = await startPart(`${build}/services/collector/dist/server.js`, shared, execArgv)
  const settings = { ...shared, COLLECTOR_URL: service.url }
  const gateway = await startPart(`${build}/gateway/dist/server.js`, settings, execArgv)
  const pool = new Pool(gateway.url, { connections: width })
  const send = async (method: 'GET' | 'POST', path: string, content?: unknown) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const sent = content === undefined ? {} : { body: JSON.stringify(content) }
    const { statusCode, body } = await pool.request({ path: `/api/v1${path}`, method, headers, ...sent })
    const text = await body.text()
    if (statusCode >= 300) throw new Error(`${gateway.url} answered ${statusCode}: ${text}`)
  }
  const cpu = () => cpuSeconds(gateway.pid) + cpuSeconds(service.pid)
  return {
    send,
    /** Sends a round: milliseconds for a request, by the clock and of CPU time. */
    async run() {
      const before = cpu()
      const ms = await timed(() => atOnce(requests, width, () => send('GET', '/tiktok/data?limit=20')))
      return { ms: ms / requests, cpu: ((cpu() - before) / requests) * 1_000 }
    },
    close: () => pool.close(),
  }
}

const loads = {
  'no tracing code': await startSide(
    {},
    process.env.OTHER_BUILD ? [] : ['--import', new URL('./lib/no-tracing.js', import.meta.url).href],
    process.env.OTHER_BUILD,
  ),
  off: await startSide({}),
  on: await startSide({ OTEL_EXPORTER_OTLP_ENDPOINT: upstream }),
}
const records = Array.from({ length: 20 }, () => tiktokPost())
await loads.off.send('POST', collectorApi.ingestRecords.path.replace(':source', 'tiktok'), { records })
type Side = keyof typeof loads
const names = Object.keys(loads) as Side[]
const base = 'no tracing code'
for (const { run } of Object.values(loads)) await run()
const measured: Record<Side, { ms: number; cpu: number }>[] = []
for (let round = 0; round < rounds; round++) {
  const took = {} as (typeof measured)[number]
  for (const name of names) took[name] = await loads[name].run()
  measured.push(took)
}
// Neighbours in time are compared: what else the machine does slows both.
const middle = (of: (took: (typeof measured)[number]) => number) => median(measured.map(of))
table(
  ['tracing', 'requests/s', 'of those without', 'CPU time a request', 'of that without'],
  names.map(name => [
    name,
    count(middle(took => 1_000 / took[name].ms)),
    middle(took => took[base].ms / took[name].ms).toFixed(3),
    `${middle(took => took[name].cpu).toFixed(3)} ms`,
    middle(took => took[name].cpu / took[base].cpu).toFixed(3),
  ]),
)
await Promise.all(Object.values(loads).map(load => load.close()))
stopParts()
sessions.disconnect()
await Promise.all([redis.stop(), mongo.stop()])
