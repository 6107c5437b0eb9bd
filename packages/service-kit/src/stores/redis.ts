import { type Command, Redis } from 'ioredis'
import { startTimeout } from '../stalls.js'

export type { Redis }

/** Timeouts of the first connection and its answers: the event loop of a starting process may block for seconds. */
const FIRST_CONNECT_MS = 60_000
const FIRST_MS = 10_000
/** Timeouts of later connections and answers. */
const CONNECT_MS = 10_000
const TIMEOUT_MS = 2_000

/** A connection whose commands fail after `timeoutMs` without an answer. */
class TimedRedis extends Redis {
  timeoutMs = FIRST_MS
  #answeredAt = 0

  override sendCommand(command: Command, stream?: Parameters<Redis['sendCommand']>[1]): unknown {
    const sentAt = performance.now()
    const cancel = startTimeout(() => {
      command.reject(new Error('Command timed out'))
      // Disconnects an unresponsive server, so that later commands fail at once instead of each waiting.
      if (this.#answeredAt < sentAt) this.stream?.destroy()
    }, this.timeoutMs)
    command.promise.then(() => {
      cancel()
      this.#answeredAt = performance.now()
    }, cancel)
    return super.sendCommand(command, stream)
  }
}

/**
 * Returns a connection for commands of a request: without Redis they fail at once.
 * @param timeoutMs shorter timeout of an unresponsive Redis than the default
 */
export const connectRedis = async (url: string, timeoutMs = TIMEOUT_MS): Promise<Redis> => {
  const redis = new TimedRedis(url, {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 1,
    lazyConnect: true,
    connectTimeout: FIRST_CONNECT_MS,
    retryStrategy: attempt => Math.min(attempt * 100, 1_000),
  })
  redis.on('error', () => {})
  await redis.connect()
  redis.timeoutMs = timeoutMs
  redis.options.connectTimeout = CONNECT_MS
  return redis
}

/** Returns a connection for BullMQ's blocking reads, which wait while Redis is down. */
export const connectBlockingRedis = (url: string): Redis => {
  const redis = new Redis(url, {
    maxRetriesPerRequest: null,
    retryStrategy: attempt => Math.min(attempt * 100, 1_000),
  })
  redis.on('error', () => {})
  return redis
}
