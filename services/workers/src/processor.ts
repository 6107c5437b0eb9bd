import { everyMs, type JobData, type QueueName } from '@iodine/contracts'
import { DelayedError, type Job, type Queues, type Service } from '@iodine/service-kit'
import type { WorkersConfig } from './config.js'

export interface WorkersContext {
  config: WorkersConfig
  service: Service
}

/** The work of one queue. */
export interface Processor<Q extends QueueName> {
  queue: Q
  /** Jobs at the same time in this process; 8 unless told. */
  concurrency?: number
  /** More of the queue's settings, such as how soon a lost worker's jobs start again. */
  options?: (config: WorkersConfig) => Parameters<Queues['work']>[2]
  /** Opens what the jobs share (closed by `service.onClose`) and returns what does one job. */
  create(context: WorkersContext): Promise<(data: JobData<Q>, job: Job) => Promise<unknown>>
}

/** Gives a processor its types; `queue` settles those of the job's data. */
export const defineProcessor = <Q extends QueueName>(processor: Processor<Q>): Processor<Q> => processor

/** Creates the processor's function and has it work its queue, by the clock where the contracts say so. */
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

/** Ends this run of a job, which begins again after `ms` and does not count as an attempt. Throws BullMQ's DelayedError. */
export const postpone = async (job: Job, ms: number): Promise<never> => {
  await job.moveToDelayed(Date.now() + ms, job.token)
  throw new DelayedError()
}
