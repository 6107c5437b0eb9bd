import { addressKey, createLocalRateLimit, type RateLimit } from '@iodine/service-kit'
import type { GatewayConfig } from './config.js'

/** How many requests the gateway takes before it says 429; what signing in may cost is counted by auth besides. */
export interface Limits {
  user(id: string): Promise<void>
  stranger(address: string): Promise<void>
  page(address: string): Promise<void>
}

/** Floods end here, so they are counted in this process: no request of those that pass waits for Redis. */
export const createLimits = (config: GatewayConfig): Limits => {
  const aMinute = (points: number): RateLimit =>
    createLocalRateLimit({ points, seconds: 60, enabled: config.RATE_LIMITS === 'on' })
  const users = aMinute(config.USER_REQUESTS_A_MINUTE)
  const strangers = aMinute(config.STRANGER_REQUESTS_A_MINUTE)
  const pages = aMinute(config.PAGE_REQUESTS_A_MINUTE)
  return {
    user: id => users.use(id),
    stranger: address => strangers.use(addressKey(address)),
    page: address => pages.use(addressKey(address)),
  }
}
