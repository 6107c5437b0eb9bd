import type { Job, Queues, Redis } from '@iodine/service-kit'
import { postpone } from '../processor.js'

/** Concurrent jobs of one user, in the whole deployment. */
const PER_USER = 3
/** Lease of a slot: it expires without renewal, when its worker is lost. */
const LEASE_MS = 30_000
const RENEW_MS = 10_000
/**
 * Delay after which a parked job retries. It is promoted earlier when a slot of its user becomes free.
 */
const PARKED_MS = 2_000
const PARKED_EACH_MS = 100
const PARKED_MAX_MS = 60_000

// A job keeps its slot from before its worker was lost. Returns 0, or the number of parked jobs including this one.
const TAKE = `
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', ARGV[1])
if redis.call('ZSCORE', KEYS[1], ARGV[2]) or redis.call('ZCARD', KEYS[1]) < tonumber(ARGV[3]) then
  redis.call('ZADD', KEYS[1], ARGV[1] + ARGV[4], ARGV[2])
  redis.call('PEXPIRE', KEYS[1], ARGV[4])
  redis.call('ZREM', KEYS[2], ARGV[2])
  return 0
end
redis.call('ZADD', KEYS[2], 'NX', ARGV[1], ARGV[2])
redis.call('PEXPIRE', KEYS[2], 600000)
return redis.call('ZCARD', KEYS[2])`

export const createUserLimiter = (redis: Redis, queues: Queues, prefix: string) => {
  /** Promotes the user's oldest parked job. */
  const wakeNext = async (parked: string): Promise<void> => {
    for (;;) {
      const [id] = await redis.zpopmin(parked)
      if (id === undefined) return
      const job = await queues.queue('extraction').getJob(id)
      const woken = await job?.promote().then(
        () => true,
        () => false,
      )
      if (woken) return
    }
  }
  return {
    /**
     * Runs `work` in one of the user's slots. A job past the limit is parked, so that the workers stay free
     * for other users. Throws BullMQ's DelayedError for a parked job.
     */
    async run<T>(userId: string, job: Job, work: () => Promise<T>): Promise<T> {
      const id = String(job.id)
      const running = `${prefix}:turns:${userId}:running`
      const parked = `${prefix}:turns:${userId}:parked`
      const waiting = Number(await redis.eval(TAKE, 2, running, parked, Date.now(), id, PER_USER, LEASE_MS))
      if (waiting > 0) {
        await postpone(job, Math.min(PARKED_MS + waiting * PARKED_EACH_MS, PARKED_MAX_MS))
      }
      const renewal = setInterval(() => {
        redis
          .multi()
          .zadd(running, 'XX', Date.now() + LEASE_MS, id)
          .pexpire(running, LEASE_MS)
          .exec()
          .catch(() => {})
      }, RENEW_MS)
      try {
        return await work()
      } finally {
        clearInterval(renewal)
        // With Redis down the lease expires by itself.
        await redis
          .zrem(running, id)
          .then(() => wakeNext(parked))
          .catch(() => {})
      }
    },
  }
}
