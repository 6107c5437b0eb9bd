import { addressKey, createLocalRateLimit, type RateLimit } from '@iodine/service-kit'
import type { GatewayConfig } from './config.js'

/**
 * How many requests the gateway takes before it says 429; what signing in may cost is counted by auth besides. Floods end
 * here, so they are counted in this process: no request of those that pass waits for Redis.
 */
export const createLimits = (config: GatewayConfig) => {
  const aMinute = (points: number): RateLimit =>
    createLocalRateLimit({ points, seconds: 60, enabled: config.RATE_LIMITS === 'on' })
  const users = aMinute(config.USER_REQUESTS_A_MINUTE)
  const strangers = aMinute(config.STRANGER_REQUESTS_A_MINUTE)
  const pages = aMinute(config.PAGE_REQUESTS_A_MINUTE)
  return {
    user: (id: string) => users.use(id),
    stranger: (address: string) => strangers.use(addressKey(address)),
    page: (address: string) => pages.use(addressKey(address)),
  }
}
export type Limits = ReturnType<typeof createLimits>
