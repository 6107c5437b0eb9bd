import { type Command, Redis } from 'ioredis'
import { startTimeout } from '../stalls.js'

export type { Redis }

/** Timeouts of the first connection and its answers: a process that starts may stand still for seconds. */
const FIRST_CONNECT_MS = 60_000
const FIRST_MS = 10_000
/** Later ones. */
const CONNECT_MS = 10_000
const PATIENCE_MS = 2_000

/** A connection whose commands fail after `patienceMs` without an answer. */
class ImpatientRedis extends Redis {
  patienceMs = FIRST_MS
  #answeredAt = 0

  override sendCommand(command: Command, stream?: Parameters<Redis['sendCommand']>[1]): unknown {
    const sentAt = performance.now()
    const cancel = startTimeout(() => {
      command.reject(new Error('Command timed out'))
      // Disconnects an unresponsive server, so that later commands fail at once instead of each waiting.
      if (this.#answeredAt < sentAt) this.stream?.destroy()
    }, this.patienceMs)
    command.promise.then(() => {
      cancel()
      this.#answeredAt = performance.now()
    }, cancel)
    return super.sendCommand(command, stream)
  }
}

/**
 * Connection for commands of a request: a dead Redis fails at once.
 * @param patienceMs shorter timeout of an unresponsive Redis than the default
 */
export const connectRedis = async (url: string, patienceMs = PATIENCE_MS): Promise<Redis> => {
  const redis = new ImpatientRedis(url, {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 1,
    lazyConnect: true,
    connectTimeout: FIRST_CONNECT_MS,
    retryStrategy: attempt => Math.min(attempt * 100, 1_000),
  })
  redis.on('error', () => {})
  await redis.connect()
  redis.patienceMs = patienceMs
  redis.options.connectTimeout = CONNECT_MS
  return redis
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
