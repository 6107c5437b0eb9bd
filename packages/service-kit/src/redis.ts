import { Redis } from 'ioredis'

export type { Redis }

/** For commands of a request: a dead Redis is an error at once, never a wait. */
export const connectRedis = async (url: string): Promise<Redis> => {
  const redis = new Redis(url, {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 1,
    commandTimeout: 2_000,
    // One that has gone silent is given up, so that what follows fails at once instead of waiting each time.
    socketTimeout: 1_500,
    lazyConnect: true,
    retryStrategy: attempt => Math.min(attempt * 100, 1_000),
  })
  redis.on('error', () => {})
  await redis.connect()
  return redis
}

/** For BullMQ's blocking readers, which wait until Redis is back. */
export const connectBlockingRedis = (url: string): Redis => {
  const redis = new Redis(url, {
    maxRetriesPerRequest: null,
    retryStrategy: attempt => Math.min(attempt * 100, 1_000),
  })
  redis.on('error', () => {})
  return redis
}
