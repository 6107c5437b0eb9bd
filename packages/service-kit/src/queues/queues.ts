import { randomUUID } from 'node:crypto'
import {
  type Announcer,
  type EventType,
  type JobData,
  type Notice,
  QUEUES,
  type QueueName,
  SUBSCRIPTIONS,
} from '@iodine/contracts'
import { context, ROOT_CONTEXT, trace } from '@opentelemetry/api'
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
import type { Logger } from '../observe/logging.js'
import type { JobOutcome, PartMetrics, QueueState } from '../observe/metrics.js'
import type { Tracing } from '../observe/otlp.js'
import { markFailed } from '../observe/tracing.js'
import { requestIdOf, runOutsideWork, withRequestId } from '../observe/work-context.js'
import { connectBlockingRedis, type Redis } from '../stores/redis.js'
import { jobResult } from './job-result.js'
import { stateOf } from './queue-state.js'
import { telemetryOf } from './telemetry.js'

export { DelayedError, UnrecoverableError } from 'bullmq'
export type { Job }

/** Attempts and pauses for work that another try may mend. */
const RETRIES: Pick<JobsOptions, 'attempts' | 'backoff'> = {
  attempts: 8,
  backoff: { type: 'exponential', delay: 500, jitter: 0.2 },
}

/** A few finished jobs are kept: `waitFor` reads their results, and whoever looks for a fault the reasons. */
const KEEP: Pick<JobsOptions, 'removeOnComplete' | 'removeOnFail'> = {
  removeOnComplete: { age: 60, count: 200 },
  removeOnFail: { age: 86_400, count: 200 },
}

/** Of each queue, for those who wait for a job's end: ids and states. */
const EVENTS_KEPT = 2_000

/** For work that its owner's database remembers until it is done: no finished job stands in the way of another try. */
const DROP: Pick<JobsOptions, 'removeOnComplete' | 'removeOnFail'> = {
  removeOnComplete: true,
  removeOnFail: true,
}

/** Which service tells the community of what. */
const OWNERS: Record<string, Announcer> = { user: 'auth', iod: 'iods', narrative: 'narratives' }

/** Past so many the rest of the notices waits in the owners' databases, where the repair finds it. */
const NOTICES_MAX = 1_000

/** How often schedules are looked for: a Redis that lost its data has none. */
const HEARTBEAT_MS = 5_000

/**
 * A killed worker's jobs start again within ten seconds, as often as it takes: BullMQ's own defaults are a minute, and to
 * give up at the second time.
 */
const LOST_WORKERS = { lockDuration: 8_000, stalledInterval: 2_000, maxStalledCount: 20 }

export interface Queues {
  /** Adds a job once: an id that is known already adds nothing. Fails at once when Redis is down. */
  add<Q extends QueueName>(
    queue: Q,
    data: JobData<Q>,
    options?: JobsOptions & { jobId?: string },
  ): Promise<Job>
  /**
   * Hands a notice to every queue that subscribes to it; repeating it adds nothing. The community's queue takes a bounded
   * number: the owner's database says what is not announced yet, and its repair gives notice again.
   */
  emit(notice: Notice): Promise<void>
  /** How many more notices the community's queue takes. */
  roomForNotices(): Promise<number>
  /** Waits for a job's result at most `ms`. Rejects with the job's failure, or with a `timed out` error. */
  waitFor(queue: QueueName, job: Job, ms: number): Promise<unknown>
  /** Runs a queue's jobs here. Data is validated; a job that can't be read is never retried. */
  work<Q extends QueueName>(
    queue: Q,
    processor: (data: JobData<Q>, job: Job) => Promise<unknown>,
    options?: Partial<WorkerOptions>,
  ): Worker
  /** Adds a job of the clock every `ms`, once for the whole deployment; looks every few seconds whether Redis still knows. */
  repeat(queue: QueueName, ms: number): Promise<void>
  /** Removes jobs that hold a user's id, finished or waiting: their data may be the user's own. */
  forgetUser(id: string): Promise<void>
  /** What stands in each queue. */
  states(): Promise<Partial<Record<QueueName, QueueState>>>
  queue(name: QueueName): Queue
  /** Takes no more jobs, waits for those under way, and puts back what takes longer than `ms` (8 s). Safe to call twice. */
  finishJobs(ms?: number): Promise<void>
  close(): Promise<void>
}

/** A job that takes longer when its worker is to end is put back, for another to begin anew. */
const PUT_BACK_MS = 8_000
const PUT_BACK = Symbol('put back')

const QUEUE_NAMES = Object.keys(QUEUES) as QueueName[]
const IDLE_STATES = ['completed', 'failed', 'delayed', 'prioritized', 'wait'] as const
const PAGE = 200

/** A notice's job id: doubles fall together. */
const noticeId = ({ type, id, revision }: Notice): string =>
  `${type.replace('.', '-')}-${id}${revision === undefined ? '' : `-${revision}`}`

const ownerOf = (type: EventType): Announcer => OWNERS[type.split('.')[0] ?? ''] as Announcer

export interface QueuesOptions {
  redis: Redis
  redisUrl: string
  /** Namespace of all keys in Redis. */
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
  /** One for each job under way. */
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
    // Made while Redis is down, it would stay broken for ever: the next call makes another.
    made.waitUntilReady().catch(() => {
      if (queues.get(name) === made) queues.delete(name)
      made.close().catch(() => {})
    })
    return made
  }
  const openEvents = (name: QueueName): QueueEvents => {
    // The default, `$`, misses what happens between connecting and the first read.
    const lastEventId = `${Date.now() - 60_000}-0`
    const listener = new QueueEvents(name, { connection: blocking(), prefix, lastEventId })
    listener.on('error', () => {})
    // As many as wait for the same job.
    listener.setMaxListeners(0)
    events.set(name, listener)
    return listener
  }
  // Opened by the first request that needs them, they serve all others.
  const queue = (name: QueueName): Queue => queues.get(name) ?? runOutsideWork(() => openQueue(name))
  const eventsOf = (name: QueueName): QueueEvents =>
    events.get(name) ?? runOutsideWork(() => openEvents(name))
  const add: Queues['add'] = async (name, data, options = {}) => {
    const parsed = QUEUES[name].data.parse(data)
    return queue(name).add(name, parsed, options)
  }

  /** Runs a job as a part of the request that it was made for; what a scheduler made begins one of its own. */
  const runJob = async <T>(name: QueueName, job: Job, run: () => Promise<T>): Promise<T> => {
    const requestId = requestIdOf() ?? randomUUID()
    const span = trace.getActiveSpan()?.setAttribute('request.id', requestId)
    const started = performance.now()
    let outcome: JobOutcome = 'completed'
    return context.with(withRequestId(context.active(), requestId), async () => {
      try {
        return await run()
      } catch (error) {
        outcome = error instanceof DelayedError ? 'postponed' : 'failed'
        if (outcome === 'failed') markFailed(error)
        throw error
      } finally {
        const ms = performance.now() - started
        metrics.observeJob(name, outcome, ms)
        span?.setAttribute('job.outcome', outcome)
        const fields = { queue: name, job: job.id, attempt: job.attemptsMade + 1, outcome }
        // Jobs of the clock run every few seconds: at level info their lines would hide the others.
        logger[job.repeatJobKey ? 'debug' : 'info']({ ...fields, ms: Math.round(ms) }, 'job')
      }
    })
  }
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
  /** Rejects as a postponement where the worker is to end before the job's work has: that goes on for nothing. */
  const orPutBack = async (job: Job, working: Promise<unknown>): Promise<unknown> => {
    let interrupt = () => {}
    const interrupted = new Promise<typeof PUT_BACK>(resolve => {
      interrupt = () => resolve(PUT_BACK)
      interruptions.add(interrupt)
    })
    const result = await Promise.race([working, interrupted]).finally(() => interruptions.delete(interrupt))
    if (result !== PUT_BACK) return result
    // Nobody waits for it any more: every job may be done twice.
    working.catch(() => {})
    await job.moveToDelayed(Date.now(), job.token)
    throw new DelayedError()
  }
  const roomForNotices = async (): Promise<number> =>
    Math.max(0, NOTICES_MAX - (await queue('projections').getJobCountByTypes('waiting', 'delayed')))
  /** Every schedule of this process is in Redis, together with its next job. Rejects while Redis is down. */
  const assertSchedules = async () => {
    for (const assert of schedules) await assert()
    metrics.noteHeartbeat()
  }
  return {
    queue,
    add,
    roomForNotices,
    async emit(notice) {
      const { type, id } = notice
      const options = { jobId: noticeId(notice), ...DROP }
      for (const name of SUBSCRIPTIONS[type]) {
        if (name === 'graph') await add('graph', { narrative_id: id }, options)
        else if (name === 'erasures') await add('erasures', { user_id: id }, options)
        else if ((await roomForNotices()) > 0) await add('projections', { owner: ownerOf(type), id }, options)
      }
    },
    async waitFor(name, job, ms) {
      return jobResult(eventsOf(name), queue(name), String(job.id), ms)
    },
    work(name, processor, options) {
      // A counter that begins with its first failure would show no increase.
      metrics.countGivenUp(name, 0)
      const settings = {
        connection: blocking(),
        prefix,
        telemetry,
        concurrency: 8,
        ...LOST_WORKERS,
        ...options,
      }
      const run = (job: Job) =>
        runJob(name, job, async () => {
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
      // Each run begins anew, not as a part of the run that scheduled it.
      const opts = { removeOnComplete: true, removeOnFail: 10, telemetry: { omitContext: true } }
      const schedule = () => queue(name).upsertJobScheduler(name, { every: ms }, { name, data: {}, opts })
      await schedule()
      schedules.push(async () => {
        const next = (await queue(name).getJobScheduler(name))?.next
        // One without its next job would stand still for ever.
        const isThere = next !== undefined && (await queue(name).getJob(`repeat:${name}:${next}`))
        if (!isThere) await schedule()
      })
      metrics.noteHeartbeat()
      heartbeat ??= setInterval(() => void assertSchedules().catch(() => {}), HEARTBEAT_MS)
    },
    async forgetUser(id) {
      for (const name of QUEUE_NAMES) {
        if (name === 'erasures') continue
        const found: Job[] = []
        for (let start = 0; ; start += PAGE) {
          const jobs = await queue(name).getJobs([...IDLE_STATES], start, start + PAGE - 1)
          found.push(...jobs.filter(job => JSON.stringify([job?.id, job?.data]).includes(id)))
          if (jobs.length < PAGE) break
        }
        // One that has just begun can't be removed.
        for (const job of found) await job.remove().catch(() => {})
      }
    },
    async states() {
      const states = QUEUE_NAMES.map(async name => [[name, await stateOf(redis, queue(name))]])
      return Object.fromEntries((await Promise.all(states.map(state => state.catch(() => [])))).flat())
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
