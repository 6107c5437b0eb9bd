import { everyMs, type JobData, type QueueName } from '@iodine/contracts'
import { DelayedError, type Job, type Queues, type Service } from '@iodine/service-kit'
import type { WorkersConfig } from './config.js'

export interface WorkersContext {
  config: WorkersConfig
  service: Service
}

/** The worker of one queue. */
export interface Processor<Q extends QueueName> {
  queue: Q
  /** Concurrent jobs in this process; 8 by default. */
  concurrency?: number
  /** Further BullMQ worker options, such as how soon a lost worker's jobs restart. */
  options?: (config: WorkersConfig) => Parameters<Queues['work']>[2]
  /** Opens shared resources (closed by `service.onClose`) and returns the function that runs one job. */
  create(context: WorkersContext): Promise<(data: JobData<Q>, job: Job) => Promise<unknown>>
}

/** Returns the processor unchanged, for type inference: `queue` sets the type of the job's data. */
export const defineProcessor = <Q extends QueueName>(processor: Processor<Q>): Processor<Q> => processor

/** Creates the processor's function and starts its worker, on a schedule where the contracts define one. */
export const startProcessor = async <Q extends QueueName>(
  { queue, concurrency = 8, options, create }: Processor<Q>,
  context: WorkersContext,
): Promise<void> => {
  const work = await create(context)
  const { queues } = context.service
  const ms = everyMs(queue)
  if (ms !== undefined) await queues.repeat(queue, ms)
  queues.work(queue, work, { concurrency, ...options?.(context.config) })
}

/**
 * Ends this run of a job and delays it by `ms`, without counting an attempt. Throws BullMQ's DelayedError.
 */
export const postpone = async (job: Job, ms: number): Promise<never> => {
  await job.moveToDelayed(Date.now() + ms, job.token)
  throw new DelayedError()
}
