import { Redis } from 'ioredis'

export type { Redis }

/**
 * For commands of a request: a dead Redis is an error at once, never a wait.
 * @param patienceMs gives up one that has gone silent sooner than others do
 */
export const connectRedis = async (url: string, patienceMs?: number): Promise<Redis> => {
  const redis = new Redis(url, {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 1,
    commandTimeout: 2_000,
    // One that has gone silent is given up, so that what follows fails at once instead of waiting each time.
    socketTimeout: 2_000,
    lazyConnect: true,
    retryStrategy: attempt => Math.min(attempt * 100, 1_000),
  })
  redis.on('error', () => {})
  await redis.connect()
  // Only now: a machine that is busy with starting may take its time to the first answer.
  if (patienceMs) Object.assign(redis.options, { commandTimeout: patienceMs, socketTimeout: patienceMs })
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
