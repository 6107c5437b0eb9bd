import { type JobData, QUEUES, type QueueName } from '@iodine/contracts'
import { context, ROOT_CONTEXT } from '@opentelemetry/api'
import {
  DelayedError,
  type Job,
  type JobsOptions,
  Queue,
  QueueEvents,
  UnrecoverableError,
  Worker,
  type WorkerOptions,
} from 'bullmq'
import { createJobRunner, type JobRun } from '../observe/job-runs.js'
import type { Logger } from '../observe/logging.js'
import type { PartMetrics, QueueState } from '../observe/metrics.js'
import type { Tracing } from '../observe/otlp.js'
import { runOutsideWork } from '../observe/work-context.js'
import { connectBlockingRedis, type Redis } from '../stores/redis.js'
import { jobResult } from './job-result.js'
import { lastFailureOf, stateOf } from './queue-state.js'
import { telemetryOf } from './telemetry.js'

export { DelayedError, UnrecoverableError } from 'bullmq'
export type { Job }

/** Attempts and back-off for work that a retry may fix. */
const RETRIES: Pick<JobsOptions, 'attempts' | 'backoff'> = {
  attempts: 8,
  backoff: { type: 'exponential', delay: 500, jitter: 0.2 },
}

/** Keeps a few finished jobs: `waitFor` reads their results, and failure reasons help debugging. */
const KEEP: Pick<JobsOptions, 'removeOnComplete' | 'removeOnFail'> = {
  removeOnComplete: { age: 60, count: 200 },
  removeOnFail: { age: 86_400, count: 200 },
}

/** Events kept per queue, for `waitFor`: ids and states. */
const EVENTS_KEPT = 2_000

/** Interval of the schedule check: a Redis that lost its data has no schedules. */
const HEARTBEAT_MS = 5_000

/**
 * Jobs of a killed worker restart within ten seconds, up to 20 times: BullMQ's defaults are a minute, and
 * failure at the second stall.
 */
const LOST_WORKERS = { lockDuration: 8_000, stalledInterval: 2_000, maxStalledCount: 20 }

export interface Queues {
  /** Adds a job, idempotent by id. Fails at once while Redis is down. */
  add<Q extends QueueName>(
    queue: Q,
    data: JobData<Q>,
    options?: JobsOptions & { jobId?: string },
  ): Promise<Job>
  /** Waits at most `ms` for a job's result. Rejects with the job's failure, or with a `timed out` error. */
  waitFor(queue: QueueName, job: Job, ms: number): Promise<unknown>
  /** Runs a worker for a queue. Data is validated; a job with invalid data is never retried. */
  work<Q extends QueueName>(
    queue: Q,
    processor: (data: JobData<Q>, job: Job) => Promise<unknown>,
    options?: Partial<WorkerOptions>,
  ): Worker
  /**
   * Schedules a job every `ms`, once for the whole deployment; checks every few seconds that Redis still has
   * the schedule.
   */
  repeat(queue: QueueName, ms: number): Promise<void>
  /** Removes finished and waiting jobs that contain a user's id: their data may be personal. */
  forgetUser(id: string): Promise<void>
  /** State of each queue. */
  states(): Promise<Record<string, QueueState>>
  /** The last job of each queue that failed for good; a queue without one, or that cannot be read, is omitted. */
  failures(): Promise<Partial<Record<QueueName, { at: string; reason: string }>>>
  queue(name: QueueName): Queue
  /**
   * Stops taking jobs, waits for active ones, and requeues those that take longer than `ms` (8 s).
   * Idempotent.
   */
  finishJobs(ms?: number): Promise<void>
  close(): Promise<void>
}

/** A job that runs longer than this at shutdown is requeued, for another worker to restart. */
const PUT_BACK_MS = 8_000
const PUT_BACK = Symbol('put back')

const QUEUE_NAMES = Object.keys(QUEUES) as QueueName[]
const IDLE_STATES = ['completed', 'failed', 'delayed', 'prioritized', 'wait'] as const
const PAGE = 200

const jobRun = (queue: QueueName, { id, attemptsMade, repeatJobKey }: Job): JobRun => ({
  queue,
  id,
  attempt: attemptsMade + 1,
  isScheduled: repeatJobKey !== undefined,
})

export interface QueuesOptions {
  redis: Redis
  redisUrl: string
  /** Prefix of all Redis keys. */
  prefix: string
  logger: Logger
  metrics: PartMetrics
  tracing: Tracing | undefined
}

export const createQueues = ({
  redis,
  redisUrl,
  prefix,
  logger,
  metrics,
  tracing,
}: QueuesOptions): Queues => {
  const root = tracing?.root ?? ROOT_CONTEXT
  const telemetry = telemetryOf(root)
  const queues = new Map<QueueName, Queue>()
  const events = new Map<QueueName, QueueEvents>()
  const workers: Worker[] = []
  /** One per active job. */
  const interruptions = new Set<() => void>()
  let finishing: Promise<void> | undefined
  const schedules: (() => Promise<void>)[] = []
  let heartbeat: NodeJS.Timeout | undefined
  const connections: Redis[] = []
  const blocking = () => {
    const connection = connectBlockingRedis(redisUrl)
    connections.push(connection)
    return connection
  }
  const openQueue = (name: QueueName): Queue => {
    const made = new Queue(name, {
      connection: redis,
      prefix,
      telemetry,
      defaultJobOptions: { ...RETRIES, ...KEEP },
      streams: { events: { maxLen: EVENTS_KEPT } },
      skipWaitingForReady: true,
    })
    made.on('error', () => {})
    queues.set(name, made)
    // A queue created while Redis is down stays broken: drop it, so that the next call creates another.
    made.waitUntilReady().catch(() => {
      if (queues.get(name) === made) queues.delete(name)
      made.close().catch(() => {})
    })
    return made
  }
  const openEvents = (name: QueueName): QueueEvents => {
    // The default, `$`, misses events between connecting and the first read.
    const lastEventId = `${Date.now() - 60_000}-0`
    const listener = new QueueEvents(name, { connection: blocking(), prefix, lastEventId })
    listener.on('error', () => {})
    // One listener per waiting call: unbounded.
    listener.setMaxListeners(0)
    events.set(name, listener)
    return listener
  }
  // Queues are opened on first use and shared by all requests, so they run outside the request's context.
  const queue = (name: QueueName): Queue => queues.get(name) ?? runOutsideWork(() => openQueue(name))
  const eventsOf = (name: QueueName): QueueEvents =>
    events.get(name) ?? runOutsideWork(() => openEvents(name))
  const add: Queues['add'] = async (name, data, options = {}) => {
    const parsed = QUEUES[name].data.parse(data)
    return queue(name).add(name, parsed, options)
  }

  const runJob = createJobRunner(logger, metrics)
  const finishJobs: Queues['finishJobs'] = (ms = PUT_BACK_MS) => {
    clearInterval(heartbeat)
    finishing ??= (async () => {
      // Without Redis a worker would wait for its connection, and no job could be finished anyway.
      if (redis.status !== 'ready') for (const connection of connections) connection.disconnect()
      const timer = setTimeout(() => {
        for (const interrupt of interruptions) interrupt()
      }, ms)
      await Promise.all(workers.map(worker => worker.close(redis.status !== 'ready')))
      clearTimeout(timer)
    })()
    return finishing
  }
  /**
   * Rejects as a postponement if the worker shuts down before the job has finished; the job's work continues
   * but its result is ignored.
   */
  const orPutBack = async (job: Job, working: Promise<unknown>): Promise<unknown> => {
    let interrupt = () => {}
    const interrupted = new Promise<typeof PUT_BACK>(resolve => {
      interrupt = () => resolve(PUT_BACK)
      interruptions.add(interrupt)
    })
    const result = await Promise.race([working, interrupted]).finally(() => interruptions.delete(interrupt))
    if (result !== PUT_BACK) return result
    // The result is ignored: every job is idempotent.
    working.catch(() => {})
    await job.moveToDelayed(Date.now(), job.token)
    throw new DelayedError()
  }
  /**
   * Ensures that every schedule of this process is in Redis together with its next job. Rejects while Redis
   * is down.
   */
  const assertSchedules = async () => {
    for (const assert of schedules) await assert()
    metrics.noteHeartbeat()
  }
  return {
    queue,
    add,
    async waitFor(name, job, ms) {
      return jobResult(eventsOf(name), queue(name), String(job.id), ms)
    },
    work(name, processor, options) {
      // Start at 0: a counter whose first sample is 1 shows no increase.
      metrics.countGivenUp(name, 0)
      const settings = {
        connection: blocking(),
        prefix,
        telemetry,
        concurrency: 8,
        // BullMQ would wait 15 s after Redis is back.
        runRetryDelay: 1_000,
        ...LOST_WORKERS,
        ...options,
      }
      const run = (job: Job) =>
        runJob(jobRun(name, job), async () => {
          const data = QUEUES[name].data.safeParse(job.data)
          if (!data.success) throw new UnrecoverableError('unreadable job')
          return orPutBack(job, processor(data.data as JobData<typeof name>, job))
        })
      const worker = context.with(root, () => new Worker(name, run, settings))
      worker.on('error', () => {})
      worker.on('failed', (job, error) => {
        const isGivenUp = job?.finishedOn !== undefined
        if (isGivenUp) metrics.countGivenUp(name)
        const attempt = job?.attemptsMade
        logger.warn({ err: error, queue: name, job: job?.id, attempt, given_up: isGivenUp }, 'job failed')
      })
      workers.push(worker)
      return worker
    },
    async repeat(name, ms) {
      // Each run starts its own trace instead of joining the run that scheduled it.
      const opts = { removeOnComplete: true, removeOnFail: 10, telemetry: { omitContext: true } }
      const schedule = () => queue(name).upsertJobScheduler(name, { every: ms }, { name, data: {}, opts })
      await schedule()
      schedules.push(async () => {
        const next = (await queue(name).getJobScheduler(name))?.next
        // A schedule without its next job never runs again.
        const isThere = next !== undefined && (await queue(name).getJob(`repeat:${name}:${next}`))
        if (!isThere) await schedule()
      })
      metrics.noteHeartbeat()
      heartbeat ??= setInterval(() => void assertSchedules().catch(() => {}), HEARTBEAT_MS)
    },
    async forgetUser(id) {
      for (const name of QUEUE_NAMES) {
        const found: Job[] = []
        for (let start = 0; ; start += PAGE) {
          const jobs = await queue(name).getJobs([...IDLE_STATES], start, start + PAGE - 1)
          found.push(...jobs.filter(job => JSON.stringify([job?.id, job?.data]).includes(id)))
          if (jobs.length < PAGE) break
        }
        // An active job cannot be removed.
        for (const job of found) await job.remove().catch(() => {})
      }
    },
    async states() {
      const states = QUEUE_NAMES.map(async name => [[name, await stateOf(redis, queue(name))]])
      return Object.fromEntries((await Promise.all(states.map(state => state.catch(() => [])))).flat())
    },
    async failures() {
      const failures = QUEUE_NAMES.map(async name => {
        const failure = await lastFailureOf(queue(name))
        return failure ? [[name, failure]] : []
      })
      return Object.fromEntries((await Promise.all(failures.map(each => each.catch(() => [])))).flat())
    },
    finishJobs,
    async close() {
      await finishJobs()
      await Promise.all([...events.values()].map(listener => listener.close()))
      await Promise.all([...queues.values()].map(each => each.close()))
      for (const connection of connections) connection.disconnect()
    },
  }
}
