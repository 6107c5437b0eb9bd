import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible'
import { tooManyRequests } from './errors.js'
import type { Redis } from './redis.js'

export interface RateLimit {
  /** Counts one use by `key`; throws 429 with Retry-After past the limit. */
  use(key: string): Promise<void>
}

/** `points` uses in `seconds`, counted in Redis for the whole deployment, in this process while Redis is down. */
export const createRateLimit = (
  redis: Redis,
  options: { name: string; prefix: string; points: number; seconds: number; enabled: boolean },
): RateLimit => {
  const { points, seconds: duration } = options
  const limiter = new RateLimiterRedis({
    storeClient: redis,
    keyPrefix: `${options.prefix}:limit:${options.name}`,
    points,
    duration,
    insuranceLimiter: new RateLimiterMemory({ points, duration }),
  })
  return {
    async use(key) {
      if (!options.enabled) return
      try {
        await limiter.consume(key)
      } catch (error) {
        if (error instanceof RateLimiterRes) throw tooManyRequests(error.msBeforeNext / 1000)
        throw error
      }
    },
  }
}
