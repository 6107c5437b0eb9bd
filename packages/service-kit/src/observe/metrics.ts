import { createServer, type Server } from 'node:http'
import type { QueueName } from '@iodine/contracts'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { createSingleFlight } from '../single-flight.js'

/** What a queue holds at the moment. */
export interface QueueState {
  /** Jobs by state: waiting, active, delayed, failed. */
  jobs: Record<string, number>
  /** Age of the oldest job that nobody has finished yet, in seconds; 0 for none. */
  oldestSeconds: number
}

/** How a job's run ended: `postponed` puts it back without an attempt lost. */
export type JobOutcome = 'completed' | 'failed' | 'postponed'

/** What a service has stored for users. */
export interface Stored {
  documents: number
  /** Of what users sent, without indexes and the database's own part. */
  bytes: number
  /** Share of the room that is set for it, 0 to 1 and above. */
  share: number
}

/** One part's share of the process's metrics. */
export interface PartMetrics {
  /** @param route the template of the path, never the path itself: each value is a series of its own */
  observeRequest(method: string, route: string, status: number, ms: number): void
  observePeer(peer: string, status: number | 'unreachable', ms: number): void
  observeJob(queue: QueueName, outcome: JobOutcome, ms: number): void
  countGivenUp(queue: QueueName, jobs?: number): void
  /** All schedules were found in Redis, or put there again. */
  noteHeartbeat(): void
  /** The service has looked for everything that was left behind. */
  noteRepair(): void
  /** Reads something anew at each scrape: whether a dependency is up. */
  watchDependencies(read: () => Promise<Record<string, boolean>>): void
  /** Reads the queues at each scrape; a queue that can't be read is left out. */
  watchQueues(read: () => Promise<Partial<Record<QueueName, QueueState>>>): void
  /**
   * Reads at each scrape how many requests are at a service (`active`) or wait for a connection to it, by name of the pool.
   * Returns what counts refusals by reason; each reason is shown from the start.
   */
  watchLoad<Reason extends string>(
    reasons: readonly Reason[],
    read: () => Record<string, { active: number; waiting: number }>,
  ): { refused(reason: Reason): void }
  /** Reads at each scrape what is stored for users; what can't be read is left out. */
  watchStorage(read: () => Promise<Stored>): void
  /** The part is gone: what is read at a scrape is so no more. */
  close(): void
}

const registry = new Registry()
const registers = [registry]
const durations = (buckets: number[]) => ({ buckets, registers })

const requests = new Histogram({
  name: 'http_request_duration_seconds',
  help: 'Time from request to answer, by route template; 499: the client went away first',
  labelNames: ['service', 'method', 'route', 'status'],
  ...durations([0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60]),
})
const peerRequests = new Histogram({
  name: 'peer_request_duration_seconds',
  help: 'Time of calls to other services, by the answer',
  labelNames: ['service', 'peer', 'status'],
  ...durations([0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10]),
})
const jobs = new Histogram({
  name: 'job_duration_seconds',
  help: 'Time of runs of jobs, by how they ended: completed, failed (tried again or given up), postponed',
  labelNames: ['service', 'queue', 'outcome'],
  ...durations([0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 120]),
})
const givenUp = new Counter({
  name: 'jobs_given_up_total',
  help: 'Jobs that failed for good',
  labelNames: ['service', 'queue'],
  registers,
})

const heartbeats = new Gauge({
  name: 'schedules_last_heartbeat_timestamp_seconds',
  help: 'When the schedules were last found in Redis, or put there again',
  labelNames: ['service'],
  registers,
})
const repairs = new Gauge({
  name: 'repair_last_completed_timestamp_seconds',
  help: "When a repair of the service was last completed; the process's start before the first",
  labelNames: ['service'],
  registers,
})

/** What is read anew at each scrape; gauges that are filled by the same reading wait for the one under way. */
const createReadings = () => {
  const readers = new Set<() => Promise<void>>()
  const reading = createSingleFlight<'read', unknown>()
  return {
    readers,
    read: async (): Promise<void> => {
      await reading('read', () => Promise.allSettled([...readers].map(read => read())))
    },
  }
}
const dependencies = createReadings()
const queues = createReadings()
const storage = createReadings()

const dependencyUp = new Gauge({
  name: 'dependency_up',
  help: 'Whether what the service needs answers (1) or not (0)',
  labelNames: ['service', 'dependency'],
  registers,
  collect: dependencies.read,
})
const queueJobs = new Gauge({
  name: 'queue_jobs',
  help: 'Jobs in a queue by state',
  labelNames: ['service', 'queue', 'state'],
  registers,
  collect: queues.read,
})
const oldestJob = new Gauge({
  name: 'queue_oldest_job_age_seconds',
  help: 'Age of the oldest unfinished job of a queue; 0 for none',
  labelNames: ['service', 'queue'],
  registers,
  collect: queues.read,
})
const storedGauge = (name: string, help: string) =>
  new Gauge({ name, help, labelNames: ['service'], registers, collect: storage.read })
const stored = {
  documents: storedGauge('stored_documents', 'Records, IODs, narratives or campaigns that are stored'),
  bytes: storedGauge('stored_bytes', 'Bytes of what users sent and is stored, without indexes'),
  share: storedGauge('stored_share', 'Share of the room set for it that is used, 1 is full'),
}

const pools = createReadings()
const poolRequests = new Gauge({
  name: 'pool_requests',
  help: 'Requests that are at a service (active) or wait for a free connection to it (waiting)',
  labelNames: ['service', 'pool', 'state'],
  registers,
  collect: pools.read,
})
const refusals = new Counter({
  name: 'requests_refused_total',
  help: 'Requests and connections that were refused or cut because they took too much of what everybody shares',
  labelNames: ['service', 'reason'],
  registers,
})

let processMetrics = false

/**
 * A part's metrics. The registry is the process's: where one hosts several parts, a scrape of any shows all of them,
 * told apart by the label `service`.
 */
export const createPartMetrics = (service: string): PartMetrics => {
  if (!processMetrics) collectDefaultMetrics({ register: registry })
  processMetrics = true
  const closing: (() => void)[] = []
  const watch = ({ readers }: typeof queues, read: () => Promise<void>, forget: () => void) => {
    readers.add(read)
    closing.push(() => {
      readers.delete(read)
      forget()
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
    noteRepair() {
      repairs.set({ service }, Date.now() / 1000)
    },
    watchDependencies(read) {
      let known: string[] = []
      const show = async () => {
        const states = await read()
        known = Object.keys(states)
        for (const dependency of known) dependencyUp.set({ service, dependency }, Number(states[dependency]))
      }
      watch(dependencies, show, () => {
        for (const dependency of known) dependencyUp.remove({ service, dependency })
      })
    },
    watchQueues(read) {
      const forget = () => {
        queueJobs.reset()
        oldestJob.reset()
      }
      const show = async () => {
        const states = await read()
        forget()
        for (const [queue, { jobs, oldestSeconds }] of Object.entries(states)) {
          for (const [state, count] of Object.entries(jobs)) queueJobs.set({ service, queue, state }, count)
          oldestJob.set({ service, queue }, oldestSeconds)
        }
      }
      watch(queues, show, forget)
    },
    watchLoad(reasons, readLoad) {
      const known = new Set<string>()
      const show = async () => {
        for (const [pool, states] of Object.entries(readLoad()))
          for (const [state, count] of Object.entries(states)) {
            known.add(pool)
            poolRequests.set({ service, pool, state }, count)
          }
      }
      watch(pools, show, () => {
        for (const pool of known)
          for (const state of ['active', 'waiting']) poolRequests.remove({ service, pool, state })
      })
      for (const reason of reasons) refusals.inc({ service, reason }, 0)
      return { refused: reason => refusals.inc({ service, reason }) }
    },
    watchStorage(read) {
      const forget = () => {
        for (const gauge of Object.values(stored)) gauge.remove({ service })
      }
      const show = async () => {
        const now = await read().catch(error => {
          forget()
          throw error
        })
        for (const name of ['documents', 'bytes', 'share'] as const) stored[name].set({ service }, now[name])
      }
      watch(storage, show, forget)
    },
    close() {
      for (const close of closing.splice(0)) close()
      heartbeats.remove({ service })
      repairs.remove({ service })
    },
  }
}

/** All metrics of this process in Prometheus' text format. */
export const readMetrics = async (): Promise<{ type: string; text: string }> => ({
  type: registry.contentType,
  text: await registry.metrics(),
})

/** Serves `GET /metrics` and nothing else, at an address that the public does not reach. */
export const listenForMetrics = (host: string, port: number): Promise<Server> =>
  new Promise((resolve, reject) => {
    const server = createServer((request, response) => {
      if (request.method !== 'GET' || request.url !== '/metrics') return void response.writeHead(404).end()
      readMetrics().then(
        ({ type, text }) => response.writeHead(200, { 'content-type': type }).end(text),
        () => response.writeHead(500).end(),
      )
    })
    server.once('error', reject)
    server.listen(port, host, () => resolve(server))
  })
