import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { createSingleFlight } from '../single-flight.js'
import { RESOLUTION_MS } from './process-state.js'

/** Present state of a queue, or of a kind of an outbox. */
export interface QueueState {
  /** Jobs by state: of a queue waiting, active, delayed, failed; of an outbox waiting, failed, unknown. */
  jobs: Record<string, number>
  /** Age of the oldest unfinished job, in seconds; 0 for none. */
  oldestSeconds: number
}

/** How a job's run ended: `postponed` requeues it without using up an attempt. */
export type JobOutcome = 'completed' | 'failed' | 'postponed'

/** Data that a service stores for users. */
export interface Stored {
  documents: number
  /** Size of user data, without indexes and database overhead. */
  bytes: number
  /** Share of the configured capacity; above 1 it is exceeded. */
  share: number
}

/** Metrics of one part of the process. */
export interface PartMetrics {
  /** @param route template of the path, never the path itself: each value is a separate series */
  observeRequest(method: string, route: string, status: number, ms: number): void
  observePeer(peer: string, status: number | 'unreachable', ms: number): void
  observeJob(queue: string, outcome: JobOutcome, ms: number): void
  countGivenUp(queue: string, jobs?: number): void
  /** Records that all schedules are in Redis. */
  noteHeartbeat(): void
  /** Records that a run of a task is expected to succeed within `ms` milliseconds. */
  expectTask(task: string, ms: number): void
  /** Reads at each scrape which dependencies are up. */
  watchDependencies(read: () => Promise<Record<string, boolean>>): void
  /** Reads the queues, or the kinds of an outbox, at each scrape; an unreadable one is omitted. */
  watchQueues(read: () => Promise<Record<string, QueueState>>): void
  /**
   * Reads at each scrape how many requests are active at a service or wait for a connection to it, by pool
   * name. Returns a counter of refusals by reason; each reason is exported from the start.
   */
  watchLoad<Reason extends string>(
    reasons: readonly Reason[],
    read: () => Record<string, { active: number; waiting: number }>,
  ): { refused(reason: Reason): void }
  /**
   * Counts violations of the content security policy that browsers report, by directive; each directive is
   * exported from the start.
   */
  watchPolicy<Directive extends string>(
    directives: readonly Directive[],
  ): {
    counted(directive: Directive): void
  }
  /** Reads at each scrape the data stored for users; omitted if unreadable. */
  watchStorage(read: () => Promise<Stored>): void
  /** Stops this part's readings at scrapes. */
  close(): void
}

const registry = new Registry()
const registers = [registry]
const durations = (buckets: number[]) => ({ buckets, registers })

const requests = new Histogram({
  name: 'http_request_duration_seconds',
  help: 'Time from request to response, by route template; 499: the client disconnected first',
  labelNames: ['service', 'method', 'route', 'status'],
  ...durations([0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60]),
})
const peerRequests = new Histogram({
  name: 'peer_request_duration_seconds',
  help: 'Time of calls to other services, by the status of the response',
  labelNames: ['service', 'peer', 'status'],
  ...durations([0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10]),
})
const jobs = new Histogram({
  name: 'job_duration_seconds',
  help: 'Time of job runs, by outcome: completed, failed (retried or given up), postponed',
  labelNames: ['service', 'queue', 'outcome'],
  ...durations([0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 120]),
})
const givenUp = new Counter({
  name: 'jobs_given_up_total',
  help: 'Jobs that failed permanently',
  labelNames: ['service', 'queue'],
  registers,
})

const refusals = new Counter({
  name: 'requests_refused_total',
  help: 'Requests and connections that were refused or closed because they exceeded a limit',
  labelNames: ['service', 'reason'],
  registers,
})

const violations = new Counter({
  name: 'csp_violations_total',
  help: 'Violations of the content security policy that browsers have reported',
  labelNames: ['service', 'directive'],
  registers,
})

/** A gauge with the label `service` and the given labels. @param collect runs before each scrape */
const gauge = (name: string, help: string, labels: string[] = [], collect = () => {}) =>
  new Gauge({ name, help, labelNames: ['service', ...labels], registers, collect })

const heartbeats = gauge(
  'schedules_last_heartbeat_timestamp_seconds',
  'Time at which the schedules were last found in Redis or restored',
)
const expectedTasks = gauge(
  'task_expected_timestamp_seconds',
  'Time by which a run of a recurring task is expected to have succeeded',
  ['task'],
)

/** Values read at each scrape; gauges that share a reading wait for the one under way. */
const createReadings = () => {
  const readers = new Set<() => Promise<void>>()
  const reading = createSingleFlight<'read', unknown>()
  const read = async (): Promise<void> => {
    await reading('read', () => Promise.allSettled([...readers].map(read => read())))
  }
  return { readers, read }
}
const dependencies = createReadings()
const queues = createReadings()
const storage = createReadings()
const pools = createReadings()

const dependencyUp = gauge(
  'dependency_up',
  'Whether a dependency of the service responds (1) or not (0)',
  ['dependency'],
  dependencies.read,
)
const queueJobs = gauge('queue_jobs', 'Jobs in a queue by state', ['queue', 'state'], queues.read)
const oldestJob = gauge(
  'queue_oldest_job_age_seconds',
  'Age of the oldest unfinished job of a queue; 0 for none',
  ['queue'],
  queues.read,
)
const storedGauge = (name: string, help: string) => gauge(name, help, [], storage.read)
const stored = {
  documents: storedGauge('stored_documents', 'Records, IODs, narratives or campaigns that are stored'),
  bytes: storedGauge('stored_bytes', 'Bytes of stored user data, without indexes'),
  share: storedGauge('stored_share', 'Used share of the configured capacity; 1 is full'),
}
const poolRequests = gauge(
  'pool_requests',
  'Requests that a service processes (active) or that wait for a free connection to it (waiting)',
  ['pool', 'state'],
  pools.read,
)

type Value = [gauge: Gauge, labels: Record<string, string>, value: number]

const byState = (gauge: Gauge, labels: Record<string, string>, counts: Record<string, number>) =>
  Object.entries(counts).map(([state, count]): Value => [gauge, { ...labels, state }, count])

let processMetrics = false

/**
 * Metrics of one part. The registry is global to the process: if it hosts several parts, a scrape of any
 * shows all of them, distinguished by the label `service`.
 */
export const createPartMetrics = (service: string): PartMetrics => {
  if (!processMetrics)
    collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: RESOLUTION_MS })
  processMetrics = true
  const closing: (() => void)[] = []
  const tasks = new Set<string>()
  const watch = ({ readers }: typeof queues, read: () => Promise<Value[]>) => {
    let shown: Value[] = []
    const show = (values: Value[]) => {
      for (const [gauge, labels] of shown) gauge.remove({ service, ...labels })
      for (const [gauge, labels, value] of values) gauge.set({ service, ...labels }, value)
      shown = values
    }
    // After a failed reading, old values are removed.
    const reader = () => read().then(show, () => show([]))
    readers.add(reader)
    closing.push(() => {
      readers.delete(reader)
      show([])
    })
  }
  return {
    observeRequest: (method, route, status, ms) =>
      requests.observe({ service, method, route, status }, ms / 1000),
    observePeer: (peer, status, ms) => peerRequests.observe({ service, peer, status }, ms / 1000),
    observeJob: (queue, outcome, ms) => jobs.observe({ service, queue, outcome }, ms / 1000),
    countGivenUp: (queue, jobs = 1) => givenUp.inc({ service, queue }, jobs),
    noteHeartbeat() {
      heartbeats.set({ service }, Date.now() / 1000)
    },
    expectTask(task, ms) {
      tasks.add(task)
      expectedTasks.set({ service, task }, (Date.now() + ms) / 1000)
    },
    watchDependencies: read =>
      watch(dependencies, async () =>
        Object.entries(await read()).map(([dependency, isUp]) => [
          dependencyUp,
          { dependency },
          Number(isUp),
        ]),
      ),
    watchQueues: read =>
      watch(queues, async () =>
        Object.entries(await read()).flatMap(([queue, { jobs, oldestSeconds }]): Value[] => [
          ...byState(queueJobs, { queue }, jobs),
          [oldestJob, { queue }, oldestSeconds],
        ]),
      ),
    watchLoad(reasons, read) {
      watch(pools, async () =>
        Object.entries(read()).flatMap(([pool, requests]) =>
          byState(poolRequests, { pool }, { ...requests }),
        ),
      )
      for (const reason of reasons) refusals.inc({ service, reason }, 0)
      return { refused: reason => refusals.inc({ service, reason }) }
    },
    watchPolicy(directives) {
      for (const directive of directives) violations.inc({ service, directive }, 0)
      return { counted: directive => violations.inc({ service, directive }) }
    },
    watchStorage: read =>
      watch(storage, async () => {
        const now = await read()
        return (['documents', 'bytes', 'share'] as const).map(name => [stored[name], {}, now[name]])
      }),
    close() {
      for (const close of closing.splice(0)) close()
      heartbeats.remove({ service })
      for (const task of tasks) expectedTasks.remove({ service, task })
    },
  }
}

/** All metrics of this process in Prometheus' text format. */
export const readMetrics = async (): Promise<{ type: string; text: string }> => ({
  type: registry.contentType,
  text: await registry.metrics(),
})

/** Serves only `GET /metrics`, at an internal address. */
export const listenForMetrics = async (host: string, port: number): Promise<Server> => {
  const server = createServer((request, response) => {
    if (request.method !== 'GET' || request.url !== '/metrics') return void response.writeHead(404).end()
    readMetrics().then(
      ({ type, text }) => response.writeHead(200, { 'content-type': type }).end(text),
      () => response.writeHead(500).end(),
    )
  })
  await once(server.listen(port, host), 'listening')
  return server
}
