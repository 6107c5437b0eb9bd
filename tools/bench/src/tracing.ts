/**
 * What tracing costs: requests a second through the gateway to a service that reads MongoDB, without any tracing code,
 * with tracing off, and with every request traced to a collector; and the CPU time that gateway and service take for one.
 * In turns, by new processes in each set; load and collector are processes of their own, MongoDB is the embedded engine.
 *
 *   npm run bench -- tracing
 */
import { collectorApi } from '@iodine/contracts'
import {
  median,
  newId,
  quantile,
  startTestMongo,
  startTestRedis,
  tiktokPost,
  uniquePrefix,
} from '@iodine/test-kit'
import { Redis } from 'ioredis'
import { Pool } from 'undici'
import { preciseCpuSeconds } from './lib/cpu.js'
import { atOnce, count, table, timed } from './lib/measure.js'
import { startPart, startUpstream, stopParts } from './lib/parts.js'
import { createSession } from './lib/session.js'

// One process runs faster than the next of the same code: the sets count, not the rounds.
const sets = Number(process.env.SETS ?? 8)
const rounds = Number(process.env.ROUNDS ?? 9)
const requests = Number(process.env.REQUESTS ?? 200)
const width = 16
/** Requests of a side before it is measured, by which its code is compiled. */
const WARM_UP = 1_600

const [redis, mongo] = await Promise.all([startTestRedis(), startTestMongo()])
const prefix = uniquePrefix()
const sessions = new Redis(redis.url)
const { token, jwks } = await createSession(sessions, prefix)
const collector = await startUpstream(100, jwks)

const SIDES = {
  'no tracing code': { execArgv: ['--import', new URL('./lib/no-tracing.js', import.meta.url).href] },
  off: {},
  on: { env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector } },
}
type Name = keyof typeof SIDES
const names = Object.keys(SIDES) as Name[]
const base = 'no tracing code'

/** A gateway and a service; `run` sends a round and gives milliseconds a request, by the clock and of CPU time. */
const startSide = async ({ env = {}, execArgv = [] }: { env?: object; execArgv?: string[] }) => {
  const shared = {
    AUTH_URL: collector,
    REDIS_URL: redis.url,
    REDIS_PREFIX: prefix,
    MONGODB_URI: mongo.url,
    MONGODB_PREFIX: prefix,
    SERVICE_KEY: newId() + newId(),
    // Counted as ever, but never reached.
    USER_REQUESTS_A_MINUTE: '1000000000',
    ...env,
  }
  const service = await startPart('services/collector/dist/server.js', shared, execArgv)
  const settings = { ...shared, COLLECTOR_URL: service.url }
  const gateway = await startPart('gateway/dist/server.js', settings, execArgv)
  const pool = new Pool(gateway.url, { connections: width })
  const send = async (method: 'GET' | 'POST', path: string, content?: unknown) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const sent = content === undefined ? {} : { body: JSON.stringify(content) }
    const { statusCode, body } = await pool.request({ path: `/api/v1${path}`, method, headers, ...sent })
    const text = await body.text()
    if (statusCode >= 300) throw new Error(`${gateway.url} answered ${statusCode}: ${text}`)
  }
  const cpu = () => preciseCpuSeconds(gateway.pid) + preciseCpuSeconds(service.pid)
  return {
    send,
    async run() {
      const before = cpu()
      const ms = await timed(() => atOnce(requests, width, () => send('GET', '/tiktok/data?limit=20')))
      return { ms: ms / requests, cpu: ((cpu() - before) / requests) * 1_000 }
    },
    close: () => pool.close(),
  }
}

/** Of the rounds of one side those count that the machine's other work disturbed least. */
const quiet = (values: number[] = []) => quantile(values, 0.25)
/** Milliseconds a request, by the clock and of CPU time. */
const measureSet = async (): Promise<Record<Name, { ms: number; cpu: number }>> => {
  const sides = await Promise.all(names.map(name => startSide(SIDES[name])))
  for (const { run } of sides) for (let left = WARM_UP; left > 0; left -= requests) await run()
  const took: Awaited<ReturnType<(typeof sides)[number]['run']>>[][] = names.map(() => [])
  for (let round = 0; round < rounds; round++)
    // Another begins each time, as what came before may still be at work.
    for (let n = 0; n < names.length; n++) {
      const side = (n + round) % names.length
      took[side]?.push((await sides[side]?.run()) as never)
    }
  await Promise.all(sides.map(side => side.close()))
  stopParts(collector)
  return Object.fromEntries(
    names.map((name, side) => [
      name,
      {
        ms: quiet(took[side]?.map(({ ms }) => ms)),
        cpu: quiet(took[side]?.map(({ cpu }) => cpu)),
      },
    ]),
  ) as never
}

const first = await startSide(SIDES.off)
const records = Array.from({ length: 20 }, () => tiktokPost())
await first.send('POST', collectorApi.ingestRecords.path.replace(':source', 'tiktok'), { records })
await first.close()
const measured: Awaited<ReturnType<typeof measureSet>>[] = []
for (let set = 0; set < sets; set++) measured.push(await measureSet())
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
stopParts()
sessions.disconnect()
await Promise.all([redis.stop(), mongo.stop()])
