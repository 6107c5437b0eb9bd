/**
 * Cost of tracing: requests per second through the gateway to a service that reads MongoDB, without any
 * tracing code, with tracing off, and with a quarter and all of the requests traced to a collector; also the
 * CPU time of gateway and service per request. In turns, with new processes in each set; load generator and
 * collector are separate processes, MongoDB is the embedded engine.
 *
 *   npm run bench -- tracing
 */
import { collectorApi } from '@iodine/contracts'
import { newSigningKey } from '@iodine/service-kit'
import { median, quantile, startTestMongo, tiktokPost } from '@iodine/test-kit'
import { preciseCpuSeconds } from './lib/cpu.js'
import { atOnce, count, interleave, mapValues, table, timed } from './lib/measure.js'
import { startPart, startUpstream, stopParts } from './lib/parts.js'
import { startSession } from './lib/session.js'

// Speed varies between processes of the same code: the number of sets matters, not the number of rounds.
const sets = Number(process.env.SETS ?? 8)
const rounds = Number(process.env.ROUNDS ?? 9)
const requests = Number(process.env.REQUESTS ?? 200)
const width = 16
/** Warm-up requests per side, until its code is compiled. */
const WARM_UP = 1_600

const [session, mongo] = await Promise.all([startSession(), startTestMongo()])
const collector = await startUpstream(100, session.jwks)

const base = 'no tracing code'
const some = 'on, a quarter of the requests traced'
const SIDES: Record<typeof base | 'off' | typeof some | 'on', Record<string, string>> = {
  [base]: { TRACING_CODE: 'none' },
  off: {},
  [some]: { OTEL_EXPORTER_OTLP_ENDPOINT: collector, OTEL_TRACES_SAMPLER_ARG: '0.25' },
  on: { OTEL_EXPORTER_OTLP_ENDPOINT: collector },
}
const execArgv = ['--import', new URL('./lib/module-hooks.js', import.meta.url).href]

/**
 * A gateway and a service. `run` sends a round; resolves to milliseconds per request, wall clock and CPU
 * time.
 */
const startSide = async (env: Record<string, string>) => {
  const shared = {
    ...session.env,
    AUTH_URL: collector,
    SEAL_PRIVATE_KEY: newSigningKey(),
    MONGODB_URI: mongo.url,
    MONGODB_PREFIX: session.prefix,
    ...env,
  }
  const service = await startPart('services/collector/dist/server.js', shared, execArgv)
  const settings = { ...shared, COLLECTOR_URL: service.url }
  const gateway = await startPart('gateway/dist/server.js', settings, execArgv)
  const { send, close } = session.connect(gateway.url, width)
  const cpu = () => preciseCpuSeconds(gateway.pid) + preciseCpuSeconds(service.pid)
  return {
    send,
    async run() {
      const before = cpu()
      const ms = await timed(() => atOnce(requests, width, () => send('/tiktok/data?limit=20')))
      return { ms: ms / requests, cpu: ((cpu() - before) / requests) * 1_000 }
    },
    close,
  }
}
type Side = Awaited<ReturnType<typeof startSide>>

/** Milliseconds per request of each side, wall clock and CPU time. */
const measureSet = async () => {
  const [bare, off, quarter, on] = (await Promise.all(Object.values(SIDES).map(startSide))) as [
    Side,
    Side,
    Side,
    Side,
  ]
  const sides = { [base]: bare, off, [some]: quarter, on }
  const runs = await interleave(
    rounds,
    mapValues(sides, ({ run }) => run),
    Math.ceil(WARM_UP / requests),
  )
  await Promise.all(Object.values(sides).map(({ close }) => close()))
  stopParts(collector)
  // The lower quartile of a side's rounds: these had the least interference from other load.
  const quiet = (values: number[]) => quantile(values, 0.25)
  return mapValues(runs, took => ({
    ms: quiet(took.map(({ ms }) => ms)),
    cpu: quiet(took.map(({ cpu }) => cpu)),
  }))
}

const first = await startSide(SIDES.off)
const records = Array.from({ length: 20 }, () => tiktokPost())
await first.send(collectorApi.ingestRecords.path.replace(':source', 'tiktok'), { records })
await first.close()
const measured: Awaited<ReturnType<typeof measureSet>>[] = []
for (let set = 0; set < sets; set++) measured.push(await measureSet())
const middle = (of: (took: (typeof measured)[number]) => number) => median(measured.map(of))
const row = (name: keyof typeof SIDES) => [
  name,
  count(middle(took => 1_000 / took[name].ms)),
  middle(took => took[base].ms / took[name].ms).toFixed(3),
  `${middle(took => took[name].cpu).toFixed(3)} ms`,
  middle(took => took[name].cpu / took[base].cpu).toFixed(3),
]
table(
  ['tracing', 'requests/s', 'of those without', 'CPU time a request', 'of that without'],
  Object.values(mapValues(SIDES, (_, name) => row(name))),
)
stopParts()
await Promise.all([session.stop(), mongo.stop()])
