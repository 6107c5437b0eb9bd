import { setTimeout as sleep } from 'node:timers/promises'
import { Redis } from 'ioredis'

export type { Redis }

/**
 * Attempts of the first connection, and the pause between two, in milliseconds. One fails when this process stands still
 * for the time of a command, as many do at their start.
 */
const FIRST_ATTEMPTS = 5
const PAUSE_MS = 200

/**
 * Connection for commands of a request: a dead Redis fails at once.
 * @param patienceMs shorter timeout of an unresponsive Redis than the default
 */
export const connectRedis = async (url: string, patienceMs?: number): Promise<Redis> => {
  for (let attempts = 1; ; attempts++) {
    const redis = new Redis(url, {
      enableOfflineQueue: false,
      maxRetriesPerRequest: 1,
      commandTimeout: 2_000,
      // Disconnects an unresponsive server, so that later commands fail at once instead of each waiting.
      socketTimeout: 2_000,
      lazyConnect: true,
      retryStrategy: attempt => Math.min(attempt * 100, 1_000),
    })
    redis.on('error', () => {})
    try {
      await redis.connect()
    } catch (error) {
      redis.disconnect()
      if (attempts >= FIRST_ATTEMPTS) throw error
      await sleep(PAUSE_MS)
      continue
    }
    // Set after connecting: the first answer may be slow on a machine that is starting.
    if (patienceMs) Object.assign(redis.options, { commandTimeout: patienceMs, socketTimeout: patienceMs })
    return redis
  }
}

/** Connection for BullMQ's blocking reads, which wait until Redis is back. */
export const connectBlockingRedis = (url: string): Redis => {
  const redis = new Redis(url, {
    maxRetriesPerRequest: null,
    retryStrategy: attempt => Math.min(attempt * 100, 1_000),
  })
  redis.on('error', () => {})
  return redis
}
