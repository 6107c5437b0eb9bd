import type { Queue } from 'bullmq'
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
