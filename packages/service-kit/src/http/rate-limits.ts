import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible'
import type { Redis } from '../stores/redis.js'
import { tooManyRequests } from './errors.js'

export interface RateLimit {
  /** Counts one use by `key`; throws 429 with Retry-After past the limit. */
  use(key: string): Promise<void>
  /** Throws 429 past the limit, without counting a use. */
  check(key: string): Promise<void>
  /** Removes one use by `key`, of an action without effect. */
  refund(key: string): Promise<void>
}

interface RateLimitOptions {
  points: number
  seconds: number
  enabled: boolean
}

type Limiter = Pick<RateLimiterMemory | RateLimiterRedis, 'consume' | 'get' | 'reward'>

const limitOf = (limiter: Limiter, { points, enabled }: RateLimitOptions): RateLimit => ({
  async use(key) {
    if (!enabled) return
    try {
      await limiter.consume(key)
    } catch (error) {
      if (error instanceof RateLimiterRes) throw tooManyRequests(error.msBeforeNext / 1000)
      throw error
    }
  },
  async check(key) {
    const used = enabled ? await limiter.get(key) : null
    if (used && used.consumedPoints >= points) throw tooManyRequests(used.msBeforeNext / 1000)
  },
  async refund(key) {
    if (enabled) await limiter.reward(key)
  },
})

/**
 * Creates a rate limiter of `points` uses in `seconds`, counted in Redis for the whole deployment, or in this process
 * while Redis is down.
 */
export const createRateLimit = (
  redis: Redis,
  options: RateLimitOptions & { name: string; prefix: string },
): RateLimit => {
  const { points, seconds: duration } = options
  const limiter = new RateLimiterRedis({
    storeClient: redis,
    keyPrefix: `${options.prefix}:limit:${options.name}`,
    points,
    duration,
    insuranceLimiter: new RateLimiterMemory({ points, duration }),
  })
  return limitOf(limiter, options)
}

/**
 * Creates a rate limiter of `points` uses in `seconds`, counted in this process only: for limits too wide to need
 * Redis.
 */
export const createLocalRateLimit = (options: RateLimitOptions): RateLimit =>
  limitOf(new RateLimiterMemory({ points: options.points, duration: options.seconds }), options)
