import { DETAILS } from '@iodine/contracts'
import type { Job, Queue } from 'bullmq'
import type { QueueState } from '../observe/metrics.js'
import type { Redis } from '../stores/redis.js'

/** Retries are delayed jobs; at most this many delayed jobs are read. */
const DELAYED_SEEN = 100

/**
 * Counts a queue's jobs by state, and finds the age of the oldest waiting or delayed job, without scheduled
 * ones.
 */
export const stateOf = async (redis: Redis, queue: Queue): Promise<QueueState> => {
  const jobs = await queue.getJobCounts('waiting', 'prioritized', 'active', 'delayed', 'failed')
  const { waiting = 0, prioritized = 0, active = 0, delayed = 0, failed = 0 } = jobs
  const ids = await Promise.all([
    // A list's oldest element is its last; `asc` counts from there.
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

const OWN_TEXTS = new Set<string>(Object.values(DETAILS))

/**
 * Returns the class of a job's failure: one of the product's own texts, or the error's name. Other messages may hold
 * data.
 */
const reasonOf = ({ failedReason = '', stacktrace = [] }: Job): string => {
  if (OWN_TEXTS.has(failedReason)) return failedReason
  if (failedReason.startsWith('job stalled')) return 'Stalled'
  return /^([A-Z]\w{0,59})(?=:|\n|$)/.exec(stacktrace?.at(-1) ?? '')?.[1] ?? 'Error'
}

/** Returns time and reason of the queue's last permanent failure; null if it stores none. */
export const lastFailureOf = async (queue: Queue): Promise<{ at: string; reason: string } | null> => {
  const [job] = await queue.getFailed(0, 0)
  return job ? { at: new Date(job.finishedOn ?? job.timestamp).toISOString(), reason: reasonOf(job) } : null
}
