import type { Context } from '@opentelemetry/api'
import type { FastifyInstance } from 'fastify'
import type { JWTVerifyGetKey } from 'jose'
import type { ServiceConfig } from './config.js'
import { createHttpApp } from './http/app.js'
import { createEndpoints, type Endpoints } from './http/endpoints.js'
import { createPeers, type Peers } from './http/peers.js'
import { createTokenVerifier, remoteKeys } from './http/tokens.js'
import { serveHealth } from './observe/health.js'
import { createLogger, type Logger } from './observe/logging.js'
import { createPartMetrics, type PartMetrics } from './observe/metrics.js'
import { type SettingsSink, startSettingsReport } from './observe/settings-report.js'
import { createTracing } from './observe/tracing.js'
import { createQueues, type Queues } from './queues/queues.js'
import type { Connection } from './stores/mongo.js'
import { connectRedis, type Redis } from './stores/redis.js'
import { createUserDirectory, type UserDirectory } from './stores/users.js'

/** Dependencies that tests, or a host of several services, may replace. */
export interface ServiceDeps {
  logger?: Logger
  /** Keys that verify session tokens; the auth service's by default. */
  tokenKeys?: JWTVerifyGetKey
  /** A connection to `MONGODB_URI` that all services of this process use; each service opens its own by default. */
  mongo?: Connection
  /** Interval in milliseconds at which the outbox looks for entries that other processes added or left; by `ROLE` by default. */
  pollMs?: number
  /** Timeout in milliseconds of an unresponsive Redis; 2,000 by default. */
  redisTimeoutMs?: number
}

/** A runnable part of the product: the gateway, a service or the workers. */
export interface Part {
  name: string
  app: FastifyInstance
  /** Starts listening; resolves to the base address. */
  listen(): Promise<string>
  /**
   * Prepares shutdown: readiness fails and each answer closes its connection, while requests are still
   * accepted. Resolves when clients should have stopped sending.
   */
  drain(): Promise<void>
  /** Stops accepting requests, finishes active ones, closes its resources. Idempotent. */
  close(): Promise<void>
}

export interface Service extends Part, Endpoints {
  config: ServiceConfig
  log: Logger
  redis: Redis
  queues: Queues
  peers: Peers
  metrics: PartMetrics
  /** Root context of the service's traces; undefined without tracing. */
  root: Context | undefined
  users: UserDirectory
  /** For the auth service: sends its settings to its own log, not over the network. */
  reportSettingsTo(sink: SettingsSink): void
  /** Adds a dependency to the readiness check; it fails after 2 s. */
  readyWhen(name: string, check: () => Promise<unknown>): void
  /** Runs on close, before the connections are closed. */
  onClose(hook: () => Promise<unknown> | unknown): void
}

/**
 * Creates a service with the shared infrastructure: logging, errors, authentication, Redis, queues, peers,
 * health, metrics, graceful shutdown. `createStoreService` adds the database.
 */
export const createService = async (
  name: string,
  config: ServiceConfig,
  deps: ServiceDeps = {},
): Promise<Service> => {
  const log = deps.logger ?? createLogger(name, config.LOG_LEVEL)
  const redis = await connectRedis(config.REDIS_URL, deps.redisTimeoutMs)
  const metrics = createPartMetrics(name)
  const tracing = await createTracing(name, config)
  const { REDIS_URL: redisUrl, REDIS_PREFIX: prefix } = config
  const queues = createQueues({ redis, redisUrl, prefix, logger: log, metrics, tracing })
  const peers = createPeers(config, metrics)
  const users = createUserDirectory(peers, redis, prefix)
  const app = createHttpApp({ logger: log, trustProxy: 'loopback, linklocal, uniquelocal', metrics, tracing })

  const keys = deps.tokenKeys ?? (config.AUTH_URL ? remoteKeys(config.AUTH_URL) : undefined)
  const endpoints = createEndpoints(app, keys && createTokenVerifier(keys), config.SERVICE_KEY.split(','))
  const checks = new Map<string, () => Promise<unknown>>([['redis', () => redis.ping()]])
  serveHealth(app, metrics, checks)

  const closing: (() => Promise<unknown> | unknown)[] = []
  let settingsSink: SettingsSink | undefined
  let stopReport = () => {}
  let closed: Promise<void> | undefined
  const close = async () => {
    stopReport()
    await app.close()
    await queues.finishJobs()
    for (const hook of closing.reverse()) await hook()
    await queues.close()
    await peers.close()
    metrics.close()
    await tracing?.close()
    redis.disconnect()
  }

  return {
    name,
    config,
    app,
    log,
    redis,
    queues,
    peers,
    metrics,
    root: tracing?.root,
    users,
    ...endpoints,
    readyWhen: (part, check) => void checks.set(part, check),
    onClose: hook => void closing.push(hook),
    reportSettingsTo(sink) {
      settingsSink = sink
    },
    async listen() {
      const address = await app.listen({ host: config.HOST, port: config.PORT })
      stopReport = startSettingsReport({ part: name, config, peers, to: settingsSink })
      return address
    },
    drain: () => app.drain(config.DRAIN_MS),
    close: () => {
      closed ??= close()
      return closed
    },
  }
}
