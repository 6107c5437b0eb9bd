import type { EventEmitter } from 'node:events'
import {
  type DomainEvent,
  type EventType,
  type JobData,
  QUEUES,
  type QueueName,
  SUBSCRIPTIONS,
} from '@iodine/contracts'
import {
  type Job,
  type JobsOptions,
  Queue,
  QueueEvents,
  UnrecoverableError,
  Worker,
  type WorkerOptions,
} from 'bullmq'
import type { Logger } from './logging.js'
import { connectBlockingRedis, type Redis } from './redis.js'

export { DelayedError, UnrecoverableError } from 'bullmq'
export type { Job }

/** Attempts and pauses for work that another try may mend. */
const RETRIES: Pick<JobsOptions, 'attempts' | 'backoff'> = {
  attempts: 8,
  backoff: { type: 'exponential', delay: 500, jitter: 0.2 },
}

/** Finished jobs are kept a while: `waitFor` reads their results, and their ids go on falling together. */
const KEEP: Pick<JobsOptions, 'removeOnComplete' | 'removeOnFail'> = {
  removeOnComplete: { age: 600, count: 5_000 },
  removeOnFail: { age: 86_400, count: 5_000 },
}

export interface Queues {
  /** Adds a job once: an id that is known already adds nothing. Fails at once when Redis is down. */
  add<Q extends QueueName>(
    queue: Q,
    data: JobData<Q>,
    options?: JobsOptions & { jobId?: string },
  ): Promise<Job>
  /** Hands an event to every queue that subscribes to it; repeating it adds nothing. */
  emit(event: DomainEvent): Promise<void>
  /** Waits for a job's result at most `ms`. Rejects with the job's failure, or with a `timed out` error. */
  waitFor(queue: QueueName, job: Job, ms: number): Promise<unknown>
  /** Runs a queue's jobs here. Data is validated; a job that can't be read is never retried. */
  work<Q extends QueueName>(
    queue: Q,
    processor: (data: JobData<Q>, job: Job) => Promise<unknown>,
    options?: Partial<WorkerOptions>,
  ): Worker
  /** Adds a job every `ms`, once for the whole deployment. */
  repeat<Q extends QueueName>(queue: Q, data: JobData<Q>, ms: number): Promise<void>
  /** Removes jobs that hold a user's id, finished or waiting: their data may be the user's own. */
  forgetUser(id: string): Promise<void>
  queue(name: QueueName): Queue
  close(): Promise<void>
}

const IDLE_STATES = ['completed', 'failed', 'delayed', 'prioritized', 'wait'] as const
const PAGE = 200

/** An event's job id: doubles of one event fall together. */
const eventId = (type: EventType, data: { id: string; revision?: number }): string => {
  const revision = data.revision === undefined ? '' : `-${data.revision}`
  return `${type.replace('.', '-')}-${data.id}${revision}`
}

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

/** @param prefix namespace of all keys in Redis */
export const createQueues = (redis: Redis, redisUrl: string, prefix: string, logger: Logger): Queues => {
  const queues = new Map<QueueName, Queue>()
  const events = new Map<QueueName, QueueEvents>()
  const workers: Worker[] = []
  const connections: Redis[] = []
  const blocking = () => {
    const connection = connectBlockingRedis(redisUrl)
    connections.push(connection)
    return connection
  }
  const queue = (name: QueueName): Queue => {
    let found = queues.get(name)
    if (!found) {
      found = new Queue(name, {
        connection: redis,
        prefix,
        defaultJobOptions: { ...RETRIES, ...KEEP },
        skipWaitingForReady: true,
      })
      found.on('error', () => {})
      queues.set(name, found)
      const made = found
      // Made while Redis is down, it would stay broken for ever: the next call makes another.
      made.waitUntilReady().catch(() => {
        if (queues.get(name) === made) queues.delete(name)
        made.close().catch(() => {})
      })
    }
    return found
  }
  const add: Queues['add'] = async (name, data, options = {}) =>
    queue(name).add(name, QUEUES[name].parse(data), options)
  return {
    queue,
    add,
    async emit(event) {
      // The text of a deleted narrative is not to outlive it in a finished job.
      if (event.type === 'narrative.deleted')
        await queue('projections').remove(eventId('narrative.created', event.data))
      for (const name of SUBSCRIPTIONS[event.type]) {
        const jobId = eventId(event.type, event.data)
        if (name === 'projections') await add('projections', event, { jobId })
        else if (name === 'graph') await add('graph', { narrative_id: event.data.id }, { jobId })
        // Who is owed the erasure knows whether it is done: no finished job stands in the way of another.
        else
          await add(
            'erasures',
            { user_id: event.data.id },
            { jobId, removeOnComplete: true, removeOnFail: true },
          )
      }
    },
    async waitFor(name, job, ms) {
      let listener = events.get(name)
      if (!listener) {
        // The default, `$`, misses what happens between connecting and the first read.
        const lastEventId = `${Date.now() - 60_000}-0`
        listener = new QueueEvents(name, { connection: blocking(), prefix, lastEventId })
        listener.on('error', () => {})
        // As many as wait for the same job.
        listener.setMaxListeners(0)
        events.set(name, listener)
      }
      return finished(listener, queue(name), String(job.id), ms)
    },
    work(name, processor, options) {
      const worker = new Worker(
        name,
        async job => {
          const data = QUEUES[name].safeParse(job.data)
          if (!data.success) throw new UnrecoverableError('unreadable job')
          return processor(data.data as JobData<typeof name>, job)
        },
        { connection: blocking(), prefix, concurrency: 8, ...options },
      )
      worker.on('error', () => {})
      worker.on('failed', (job, error) =>
        logger.warn({ err: error, queue: name, job: job?.id, attempt: job?.attemptsMade }, 'job failed'),
      )
      workers.push(worker)
      return worker
    },
    async repeat(name, data, ms) {
      await queue(name).upsertJobScheduler(
        name,
        { every: ms },
        { name, data, opts: { removeOnComplete: true, removeOnFail: 10 } },
      )
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
    async close() {
      // Without Redis a worker would wait for its connection, and no job could be finished anyway.
      if (redis.status !== 'ready') for (const connection of connections) connection.disconnect()
      await Promise.all(workers.map(worker => worker.close(redis.status !== 'ready')))
      await Promise.all([...events.values()].map(listener => listener.close()))
      await Promise.all([...queues.values()].map(each => each.close()))
      for (const connection of connections) connection.disconnect()
    },
  }
}
