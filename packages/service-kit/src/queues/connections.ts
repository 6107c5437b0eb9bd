import type { QueueName } from '@iodine/contracts'
import { type JobsOptions, Queue, QueueEvents, type QueueOptions } from 'bullmq'
import { runOutsideWork } from '../observe/work-context.js'
import { connectBlockingRedis, type Redis } from '../stores/redis.js'

/** Attempts and back-off for work that a retry may fix. */
const RETRIES: Pick<JobsOptions, 'attempts' | 'backoff'> = {
  attempts: 8,
  backoff: { type: 'exponential', delay: 500, jitter: 0.2 },
}

/** Keeps a few finished jobs: `waitFor` reads their results, and failure reasons help debugging. */
const KEEP: Pick<JobsOptions, 'removeOnComplete' | 'removeOnFail'> = {
  removeOnComplete: { age: 60, count: 200 },
  removeOnFail: { age: 86_400, count: 200 },
}

/** Events kept per queue, for `waitFor`: ids and states. */
const EVENTS_KEPT = 2_000

interface ConnectionsOptions {
  redis: Redis
  redisUrl: string
  prefix: string
  telemetry: NonNullable<QueueOptions['telemetry']>
}

/** Creates the process's connections to its queues, which are opened on first use. */
export const createQueueConnections = ({ redis, redisUrl, prefix, telemetry }: ConnectionsOptions) => {
  const queues = new Map<QueueName, Queue>()
  const events = new Map<QueueName, QueueEvents>()
  const connections: Redis[] = []
  const blocking = (): Redis => {
    const connection = connectBlockingRedis(redisUrl)
    connections.push(connection)
    return connection
  }
  const disconnect = () => {
    for (const connection of connections) connection.disconnect()
  }

  const openQueue = (name: QueueName): Queue => {
    const made = new Queue(name, {
      connection: redis,
      prefix,
      telemetry,
      defaultJobOptions: { ...RETRIES, ...KEEP },
      streams: { events: { maxLen: EVENTS_KEPT } },
      skipWaitingForReady: true,
    })
    made.on('error', () => {})
    queues.set(name, made)
    // A queue created while Redis is down stays broken: drop it, so that the next call creates another.
    made.waitUntilReady().catch(() => {
      if (queues.get(name) === made) queues.delete(name)
      made.close().catch(() => {})
    })
    return made
  }
  const openEvents = (name: QueueName): QueueEvents => {
    // The default, `$`, misses events between connecting and the first read.
    const lastEventId = `${Date.now() - 60_000}-0`
    const listener = new QueueEvents(name, { connection: blocking(), prefix, lastEventId })
    listener.on('error', () => {})
    // One listener per waiting call: unbounded.
    listener.setMaxListeners(0)
    events.set(name, listener)
    return listener
  }

  return {
    // All requests share the queues, so they are opened outside the request's context.
    queue: (name: QueueName): Queue => queues.get(name) ?? runOutsideWork(() => openQueue(name)),
    events: (name: QueueName): QueueEvents => events.get(name) ?? runOutsideWork(() => openEvents(name)),
    /** Opens a connection for blocking commands. */
    blocking,
    /** Disconnects the connections for blocking commands. */
    disconnect,
    async close(): Promise<void> {
      await Promise.all([...events.values()].map(listener => listener.close()))
      await Promise.all([...queues.values()].map(each => each.close()))
      disconnect()
    },
  }
}
