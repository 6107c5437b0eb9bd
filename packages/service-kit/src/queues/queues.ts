import { randomUUID } from 'node:crypto'
import type { EventEmitter } from 'node:events'
import {
  type Announcer,
  type EventType,
  type JobData,
  type Notice,
  QUEUES,
  type QueueName,
  SUBSCRIPTIONS,
} from '@iodine/contracts'
import { type Context, context, propagation, ROOT_CONTEXT, trace } from '@opentelemetry/api'
import {
  DelayedError,
  type Job,
  type JobsOptions,
  Queue,
  QueueEvents,
  type Telemetry,
  UnrecoverableError,
  Worker,
  type WorkerOptions,
} from 'bullmq'
import { BullMQOtel } from 'bullmq-otel'
import type { Logger } from '../observe/logging.js'
import type { JobOutcome, PartMetrics, QueueState } from '../observe/metrics.js'
import type { Tracing } from '../observe/otlp.js'
import { markFailed } from '../observe/tracing.js'
import { requestIdOf, runOutsideWork, withRequestId } from '../observe/work-context.js'
import { connectBlockingRedis, type Redis } from '../stores/redis.js'

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

const IDLE_STATES = ['completed', 'failed', 'delayed', 'prioritized', 'wait'] as const
const PAGE = 200

/** A notice's job id: doubles fall together. */
const noticeId = ({ type, id, revision }: Notice): string =>
  `${type.replace('.', '-')}-${id}${revision === undefined ? '' : `-${revision}`}`

const ownerOf = (type: EventType): Announcer => OWNERS[type.split('.')[0] ?? ''] as Announcer

/**
 * A job's end. BullMQ's own `waitUntilFinished` leaves a rejection unhandled, the end of the process, when Redis goes away
 * at the wrong moment.
 */
const finished = (listener: QueueEvents, queue: Queue, id: string, ms: number): Promise<unknown> =>
  new Promise((resolve, reject) => {
    // Events of one job carry its id in their name, which the listener's own type leaves out.
    const events = listener as unknown as EventEmitter
    const [completed, failed] = [`completed:${id}`, `failed:${id}`]
    let again: NodeJS.Timeout | undefined
    let ended = false
    const end = (settle: () => void) => {
      ended = true
      clearTimeout(timer)
      clearTimeout(again)
      events.off(completed, onCompleted)
      events.off(failed, onFailed)
      settle()
    }
    const onCompleted = ({ returnvalue }: { returnvalue: unknown }) => end(() => resolve(returnvalue))
    const onFailed = ({ failedReason }: { failedReason: string }) =>
      end(() => reject(new Error(failedReason)))
    const timer = setTimeout(() => end(() => reject(new Error('timed out'))), ms)
    events.on(completed, onCompleted)
    events.on(failed, onFailed)
    // It may have ended before anybody listened.
    const look = async () => {
      await listener.waitUntilReady()
      // The job alone doesn't tell: one that was completed at a later attempt keeps the earlier one's failure.
      const state = await queue.getJobState(id)
      if (state !== 'completed' && state !== 'failed' && state !== 'unknown') return
      const job = await queue.getJob(id)
      if (!job) onFailed({ failedReason: 'the job is gone' })
      else if (state === 'failed') onFailed({ failedReason: job.failedReason })
      else onCompleted({ returnvalue: job.returnvalue })
    }
    const lookUntilSeen = (): Promise<unknown> =>
      look().catch(() => {
        if (!ended) again = setTimeout(lookUntilSeen, 500)
      })
    void lookUntilSeen()
  })

/** Nothing, where Redis holds something else: that loses no job. */
const originOf = (metadata: string): { request_id?: string } => {
  try {
    return JSON.parse(metadata) ?? {}
  } catch {
    return {}
  }
}

/**
 * Carries the work that a job is added in to where it runs: the request's id and, where there is one, its place in the trace.
 * They stand with the job beside its data, where every try finds them.
 */
const telemetryOf = (root: Context): Telemetry<Context> => ({
  tracer: new BullMQOtel().tracer,
  contextManager: {
    with: (work: Context, run) => context.with(work, run),
    active: () => context.active(),
    root: () => root,
    getMetadata(work: Context) {
      const origin = { request_id: requestIdOf(work) }
      propagation.inject(work, origin)
      return JSON.stringify(origin)
    },
    fromMetadata(work: Context, metadata) {
      const origin = originOf(metadata)
      const { request_id: id } = origin
      return propagation.extract(id === undefined ? work : withRequestId(work, id), origin)
    },
  },
})

/** Retries stand among those that wait for their time; of these so many are looked at. */
const DELAYED_SEEN = 100

/** A queue's jobs by state, and the age of the oldest that is waiting, delayed ones included but for those of schedulers. */
const stateOf = async (redis: Redis, queue: Queue): Promise<QueueState> => {
  const jobs = await queue.getJobCounts('waiting', 'prioritized', 'active', 'delayed', 'failed')
  const { waiting = 0, prioritized = 0, active = 0, delayed = 0, failed = 0 } = jobs
  const ids = await Promise.all([
    // A list's oldest is its last; `asc` counts from there.
    queue.getRanges(['waiting'], 0, 0, true),
    queue.getRanges(['prioritized'], 0, 0, true),
    queue.getRanges(['delayed'], 0, DELAYED_SEEN - 1, true),
  ])
  const found = await Promise.all(ids.flat().map(id => redis.hmget(queue.toKey(id), 'timestamp', 'rjk')))
  const times = found.flatMap(([time, scheduler]) => (time && !scheduler ? [Number(time)] : []))
  return {
    jobs: { waiting: waiting + prioritized, active, delayed, failed },
    oldestSeconds: times.length === 0 ? 0 : Math.max(0, (Date.now() - Math.min(...times)) / 1000),
  }
}

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
        const fields = {
          queue: name,
          job: job.id,
          attempt: job.attemptsMade + 1,
          outcome,
          ms: Math.round(ms),
        }
        // What runs by the clock every few seconds would bury the rest.
        logger[job.repeatJobKey ? 'debug' : 'info'](fields, 'job')
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
      return finished(eventsOf(name), queue(name), String(job.id), ms)
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
      for (const name of Object.keys(QUEUES) as QueueName[]) {
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
      const names = Object.keys(QUEUES) as QueueName[]
      const states = await Promise.allSettled(names.map(name => stateOf(redis, queue(name))))
      return Object.fromEntries(
        names.flatMap((name, n) => {
          const state = states[n]
          return state?.status === 'fulfilled' ? [[name, state.value]] : []
        }),
      )
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
