import { addressKey, createLocalRateLimit, type RateLimit } from '@iodine/service-kit'
import type { GatewayConfig } from './config.js'

/**
 * Creates the rate limiters of requests, which throw 429; auth limits sign-ins in addition. They count in the
 * process's memory, so that no request waits for Redis.
 */
export const createLimits = (config: GatewayConfig) => {
  const aMinute = (points: number): RateLimit =>
    createLocalRateLimit({ points, seconds: 60, enabled: config.RATE_LIMITS === 'on' })
  const users = aMinute(config.USER_REQUESTS_A_MINUTE)
  const feeds = aMinute(config.FEED_REQUESTS_A_MINUTE)
  const strangers = aMinute(config.STRANGER_REQUESTS_A_MINUTE)
  const readers = aMinute(config.REPORT_REQUESTS_A_MINUTE)
  const pages = aMinute(config.PAGE_REQUESTS_A_MINUTE)
  return {
    user: (id: string) => users.use(id),
    feed: (key: string) => feeds.use(key),
    stranger: (address: string) => strangers.use(addressKey(address)),
    /** Throws 429 past the limit of `stranger` without counting the call. */
    checkStranger: (address: string) => strangers.check(addressKey(address)),
    /** Counts a request of a public page without a session. */
    reader: (address: string) => readers.use(addressKey(address)),
    page: (address: string) => pages.use(addressKey(address)),
  }
}
export type Limits = ReturnType<typeof createLimits>
