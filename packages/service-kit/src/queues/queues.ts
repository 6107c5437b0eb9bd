import { type JobData, QUEUES, type QueueName } from '@iodine/contracts'
import { context, ROOT_CONTEXT } from '@opentelemetry/api'
import {
  type Job,
  type JobsOptions,
  type Queue,
  UnrecoverableError,
  Worker,
  type WorkerOptions,
} from 'bullmq'
import { createJobRunner, type JobRun } from '../observe/job-runs.js'
import type { Logger } from '../observe/logging.js'
import type { PartMetrics, QueueState } from '../observe/metrics.js'
import type { Tracing } from '../observe/otlp.js'
import type { Redis } from '../stores/redis.js'
import { createQueueConnections } from './connections.js'
import { jobResult } from './job-result.js'
import { lastFailureOf, stateOf } from './queue-state.js'
import { removeJobs } from './remove-jobs.js'
import { createRequeue } from './requeue.js'
import { createSchedules } from './schedules.js'
import { telemetryOf } from './telemetry.js'

export { DelayedError, UnrecoverableError } from 'bullmq'
export type { Job }

/**
 * Jobs of a killed worker restart within 15 seconds, up to 20 times: BullMQ's defaults are a minute, and
 * failure at the second stall.
 */
const LOST_WORKERS = { lockDuration: 8_000, stalledInterval: 7_000, maxStalledCount: 20 }
/** Seconds for which an idle worker waits for a job in one command. */
const DRAIN_DELAY_S = 30

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
  /** Schedules a job every `ms` milliseconds, once for the deployment. Restores the schedule if Redis loses it. */
  repeat(queue: QueueName, ms: number): Promise<void>
  /** Removes finished and waiting jobs that contain a user's id: their data may be personal. */
  eraseUser(id: string): Promise<void>
  /** State of each queue; one that cannot be read is omitted. */
  states(): Promise<Record<string, QueueState>>
  /** The last permanently failed job of each queue. A queue without one, or that cannot be read, is omitted. */
  failures(): Promise<Partial<Record<QueueName, { at: string; reason: string }>>>
  queue(name: QueueName): Queue
  /**
   * Stops taking jobs, waits for active ones, and requeues those that take longer than `ms` (8 s).
   * Idempotent.
   */
  finishJobs(ms?: number): Promise<void>
  close(): Promise<void>
}

/** Timeout of active jobs at shutdown. Jobs that take longer are requeued. */
const REQUEUE_MS = 8_000

const QUEUE_NAMES = Object.keys(QUEUES) as QueueName[]

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

/** Reads each queue. Omits those without a result, and those that cannot be read. */
const ofEach = async <T>(read: (name: QueueName) => Promise<T | null>): Promise<Record<string, T>> => {
  const results = await Promise.all(
    QUEUE_NAMES.map(async name => [name, await read(name).catch(() => null)] as const),
  )
  return Object.fromEntries(results.flatMap(([name, result]) => (result === null ? [] : [[name, result]])))
}

const logFailure = (
  { logger, metrics }: Pick<QueuesOptions, 'logger' | 'metrics'>,
  name: QueueName,
  job: Job | undefined,
  error: Error,
): void => {
  const isGivenUp = job?.finishedOn !== undefined
  if (isGivenUp) metrics.countGivenUp(name)
  const attempt = job?.attemptsMade
  logger.warn({ err: error, queue: name, job: job?.id, attempt, given_up: isGivenUp }, 'job failed')
}

/** Creates the process's access to the queues, with its workers and schedules. */
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
  const connections = createQueueConnections({ redis, redisUrl, prefix, telemetry })
  const { queue } = connections
  const schedules = createSchedules(queue, metrics.noteHeartbeat)
  const { orRequeue, interrupt } = createRequeue()
  const runJob = createJobRunner(logger, metrics)
  const workers: Worker[] = []
  let finishing: Promise<void> | undefined

  const finish = async (ms: number) => {
    // Without Redis a worker would wait for its connection, and no job could be finished anyway.
    if (redis.status !== 'ready') connections.disconnect()
    const timer = setTimeout(interrupt, ms)
    await Promise.all(workers.map(worker => worker.close(redis.status !== 'ready')))
    clearTimeout(timer)
  }
  const finishJobs: Queues['finishJobs'] = (ms = REQUEUE_MS) => {
    schedules.stop()
    finishing ??= finish(ms)
    return finishing
  }

  return {
    queue,
    async add(name, data, options = {}) {
      const parsed = QUEUES[name].data.parse(data)
      return queue(name).add(name, parsed, options)
    },
    async waitFor(name, job, ms) {
      return jobResult(connections.events(name), queue(name), String(job.id), ms)
    },
    work(name, processor, options) {
      // Start at 0: a counter whose first sample is 1 shows no increase.
      metrics.countGivenUp(name, 0)
      const settings = {
        connection: connections.blocking(),
        prefix,
        telemetry,
        concurrency: 8,
        // BullMQ would wait 15 s after Redis is back.
        runRetryDelay: 1_000,
        ...LOST_WORKERS,
        drainDelay: DRAIN_DELAY_S,
        ...options,
      }
      const run = (job: Job) =>
        runJob(jobRun(name, job), async () => {
          const data = QUEUES[name].data.safeParse(job.data)
          if (!data.success) throw new UnrecoverableError('unreadable job')
          return orRequeue(job, processor(data.data as JobData<typeof name>, job))
        })
      const worker = context.with(root, () => new Worker(name, run, settings))
      worker.on('error', () => {})
      worker.on('failed', (job, error) => logFailure({ logger, metrics }, name, job, error))
      workers.push(worker)
      return worker
    },
    repeat: schedules.repeat,
    async eraseUser(id) {
      for (const name of QUEUE_NAMES) await removeJobs(queue(name), id)
    },
    states: () => ofEach(async name => stateOf(redis, queue(name))),
    failures: () => ofEach(async name => lastFailureOf(queue(name))),
    finishJobs,
    async close() {
      await finishJobs()
      await connections.close()
    },
  }
}
