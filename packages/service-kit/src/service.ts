import { timingSafeEqual } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  API_BASE,
  auditInternal,
  type BodyOf,
  DETAILS,
  DONE,
  type EndpointSpec,
  type FeedEndpoint,
  type InternalEndpoint,
  LIMITS,
  outboxInternal,
  type ParamsOf,
  type PublicEndpoint,
  type QueryOf,
  type ResponseOf,
  type Tlp,
} from '@iodine/contracts'
import type { Context } from '@opentelemetry/api'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { JWTVerifyGetKey } from 'jose'
import type { ServiceConfig, StoreConfig } from './config.js'
import { requireAccess } from './http/access.js'
import { createHttpApp } from './http/app.js'
import { forbidden, HttpError, notFound, unauthenticated, unavailable } from './http/errors.js'
import { checkPlainData } from './http/json.js'
import { createPeers, type Peers, SERVICE_KEY_HEADER } from './http/peers.js'
import { JSON_TYPE, type ReplyHead, Streamed } from './http/streamed.js'
import { sendTaxiiError } from './http/taxii-errors.js'
import { bearerToken, type Caller, createTokenVerifier, remoteKeys } from './http/tokens.js'
import { validate } from './http/validate.js'
import { createLogger, type Logger } from './observe/logging.js'
import { createPartMetrics, type PartMetrics, readMetrics } from './observe/metrics.js'
import { processState } from './observe/process-state.js'
import { type SettingsSink, startSettingsReport } from './observe/settings-report.js'
import { createTracing } from './observe/tracing.js'
import { createOutbox, type Outbox } from './outbox/outbox.js'
import { createTasks, type Tasks } from './outbox/tasks.js'
import { createQueues, type Queues } from './queues/queues.js'
import { type Audit, createAudit } from './stores/audit.js'
import { type Migration, migrate } from './stores/migrations.js'
import { type Connection, connectMongo, prepareModels } from './stores/mongo.js'
import { connectRedis, type Redis } from './stores/redis.js'
import { createUserDirectory, type UserDirectory } from './stores/users.js'

/** Arguments of an internal endpoint's handler. */
export interface InternalCall<E extends EndpointSpec> {
  params: ParamsOf<E>
  query: QueryOf<E>
  body: BodyOf<E>
  request: FastifyRequest
  /** For headers, and another status of success; the answer is the handler's return value. */
  reply: ReplyHead
}

/** Arguments of a public endpoint's handler; `user` is set unless the endpoint's access is `anyone`. */
export interface Call<E extends PublicEndpoint> extends InternalCall<E> {
  user: E['access'] extends 'anyone' ? undefined : Caller
}

/**
 * Return type of a handler: the response, or text of that type. Files have no response schema and are text.
 */
export type AnswerOf<E extends EndpointSpec> =
  unknown extends ResponseOf<E> ? Streamed<unknown> : ResponseOf<E> | Streamed<ResponseOf<E>>

export type Handler<E extends PublicEndpoint> = (call: Call<E>) => Promise<AnswerOf<E>>
export type InternalHandler<E extends InternalEndpoint> = (call: InternalCall<E>) => Promise<AnswerOf<E>>

/** Who reads a feed, and up to which level. */
export interface FeedReader {
  id: string
  tlp: Tlp
}
export type FeedHandler<E extends FeedEndpoint> = (
  call: InternalCall<E> & { reader: FeedReader },
) => Promise<Streamed<unknown>>

/** Dependencies that tests, or a host of several services, may replace. */
export interface ServiceDeps {
  logger?: Logger
  /** Keys that verify session tokens; the auth service's by default. */
  tokenKeys?: JWTVerifyGetKey
}

/** A runnable part of the product: the gateway, a service or the workers. */
export interface Part {
  name: string
  app: FastifyInstance
  /** Starts listening; resolves to the base address. */
  listen(): Promise<string>
  /**
   * Announces shutdown: readiness fails and each answer closes its connection, while requests are still
   * accepted. Resolves when clients should have stopped sending.
   */
  drain(): Promise<void>
  /** Stops accepting requests, finishes active ones, closes its resources. Idempotent. */
  close(): Promise<void>
}

export interface Service extends Part {
  config: ServiceConfig
  log: Logger
  redis: Redis
  queues: Queues
  peers: Peers
  metrics: PartMetrics
  /** Root context of the service's traces; undefined without tracing. */
  root: Context | undefined
  users: UserDirectory
  /** Serves an endpoint below /api/v1: authenticate → validate → handler → answer. */
  route<E extends PublicEndpoint>(endpoint: E, handler: Handler<E>): void
  /** Serves a feed, outside /api/v1; requires the token of a feed key. Its errors have its form. */
  feed<E extends FeedEndpoint>(endpoint: E, handler: FeedHandler<E>): void
  /** Serves an internal endpoint; requires the service key. */
  internal<E extends InternalEndpoint>(endpoint: E, handler: InternalHandler<E>): void
  /** For the auth service: has its own settings go to its own log, not over the network. */
  reportSettingsTo(sink: SettingsSink): void
  /** Adds a dependency to the readiness check; it must settle within 2 s. */
  readyWhen(name: string, check: () => Promise<unknown>): void
  /** Runs on close, before the connections are closed. */
  onClose(hook: () => Promise<unknown> | unknown): void
}

export interface StoreService extends Service {
  mongo: Connection
  /** Work that is to be done after a change of the data. */
  outbox: Outbox
  /** Work that recurs, whatever changes. */
  tasks: Tasks
  /** Records actions for the audit log (`docs/accounts.md`). */
  audit: Audit
}

/** Timeout of a hand-over to the audit log. */
const APPEND_MS = 5_000
/** Timeout of a readiness check. */
const CHECK_MS = 2_000

const bodyOf = ({ raw, body }: EndpointSpec, given: unknown): unknown => {
  if (raw) {
    if (given === undefined || given instanceof Uint8Array) return given ?? new Uint8Array()
    throw new HttpError(415, DETAILS.notBytes)
  }
  return body && validate(body, given ?? {}, 'body')
}

const sameKey = (given: unknown, expected: string): boolean => {
  if (typeof given !== 'string') return false
  const [a, b] = [Buffer.from(given), Buffer.from(expected)]
  return a.length === b.length && timingSafeEqual(a, b)
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
  const redis = await connectRedis(config.REDIS_URL)
  const metrics = createPartMetrics(name)
  const tracing = await createTracing(name, config)
  const { REDIS_URL: redisUrl, REDIS_PREFIX: prefix } = config
  const queues = createQueues({ redis, redisUrl, prefix, logger: log, metrics, tracing })
  const peers = createPeers(config, metrics)
  const users = createUserDirectory(peers, redis, prefix)
  const app = createHttpApp({ logger: log, trustProxy: 'loopback, linklocal, uniquelocal', metrics, tracing })

  const serviceKeys = config.SERVICE_KEY.split(',')
  const keys = deps.tokenKeys ?? (config.AUTH_URL ? remoteKeys(config.AUTH_URL) : undefined)
  const verify = keys && createTokenVerifier(keys)
  const identify = async (request: FastifyRequest): Promise<Caller> => {
    const token = bearerToken(request.headers.authorization)
    if (!token) throw unauthenticated()
    if (!verify) throw unavailable()
    const caller = await verify(token).catch(() => {
      throw unavailable()
    })
    if (!caller) throw unauthenticated()
    return caller
  }
  const authenticate = async (request: FastifyRequest, spec: PublicEndpoint): Promise<Caller> => {
    const caller = await identify(request)
    requireAccess(caller, spec)
    return caller
  }

  /** @param admit authorizes the request before the body is parsed: a body may be 16 MiB */
  const add = <E extends EndpointSpec>(
    spec: E,
    {
      url,
      checksBody = false,
      sendError,
    }: { url: string; checksBody?: boolean | undefined; sendError?: typeof sendTaxiiError | undefined },
    admit: (request: FastifyRequest) => Promise<unknown>,
    answer: (call: InternalCall<E>) => Promise<AnswerOf<E>>,
  ) => {
    app.route({
      method: spec.method,
      url,
      ...(spec.bodyLimit && { bodyLimit: spec.bodyLimit }),
      config: { checksBody, raw: spec.raw ?? false },
      ...(sendError && { errorHandler: sendError }),
      onRequest: admit,
      handler: async (request, reply) => {
        checkPlainData(request.query, 'query')
        reply.code(spec.status ?? 200)
        const result = await answer({
          params: (spec.params ? validate(spec.params, request.params, 'params') : undefined) as ParamsOf<E>,
          query: (spec.query ? validate(spec.query, request.query, 'query') : undefined) as QueryOf<E>,
          body: bodyOf(spec, request.body) as BodyOf<E>,
          request,
          reply,
        })
        return result instanceof Streamed
          ? result.send(reply)
          : reply.type(JSON_TYPE).send(JSON.stringify(result))
      },
    })
  }
  const route: Service['route'] = (spec, handler) => {
    const { access, path, checksBody } = spec
    add(
      spec,
      { url: `${API_BASE}${path}`, checksBody },
      async request => {
        if (access !== 'anyone') request.caller = await authenticate(request, spec)
      },
      call => handler({ ...call, user: call.request.caller as Call<typeof spec>['user'] }),
    )
  }
  const feed: Service['feed'] = (spec, handler) =>
    add(
      spec,
      { url: spec.path, sendError: spec.form === 'taxii' ? sendTaxiiError : undefined },
      async request => {
        const caller = await identify(request)
        if (caller.scope !== 'feed') throw forbidden()
        request.caller = caller
      },
      async call => {
        const { id, tlp } = call.request.caller as Caller
        const answer = handler({ ...call, reader: { id, tlp: tlp ?? 'clear' } })
        return answer as Promise<AnswerOf<typeof spec>>
      },
    )
  const internal: Service['internal'] = (spec, handler) =>
    add(
      spec,
      { url: spec.path },
      async request => {
        // 404 hides internal routes from callers without the service key.
        const given = request.headers[SERVICE_KEY_HEADER]
        if (!serviceKeys.some(key => sameKey(given, key))) throw notFound()
      },
      handler,
    )

  const checks = new Map<string, () => Promise<unknown>>([['redis', () => redis.ping()]])
  app.get('/healthz', async () => ({ status: 'up' }))
  const dependencies = async (): Promise<Record<string, boolean>> =>
    Object.fromEntries(
      await Promise.all(
        [...checks].map(async ([part, check]) => {
          const answered = check().then(
            () => true,
            () => false,
          )
          return [part, await Promise.race([answered, sleep(CHECK_MS, false, { ref: false })])] as const
        }),
      ),
    )
  metrics.watchDependencies(dependencies)
  app.get('/metrics', async (_request, reply) => {
    const { type, text } = await readMetrics()
    return reply.type(type).send(text)
  })
  app.get('/readyz', async (_request, reply) => {
    if (app.isDraining) return reply.code(503).send({ status: 'draining' })
    const states = Object.entries(await dependencies())
    const ready = states.every(([, isUp]) => isUp)
    const parts = Object.fromEntries(states.map(([part, isUp]) => [part, isUp ? 'up' : 'down']))
    return reply
      .code(ready ? 200 : 503)
      .send({ status: ready ? 'up' : 'down', parts, process: processState() })
  })

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
    route,
    feed,
    internal,
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

/** Creates a service with its own database, `{MONGODB_PREFIX}_{name}`. */
export const createStoreService = async (
  name: string,
  config: StoreConfig,
  deps: ServiceDeps = {},
): Promise<StoreService> => {
  const mongo = await connectMongo(config.MONGODB_URI, `${config.MONGODB_PREFIX}_${name}`)
  const service = await createService(name, config, deps).catch(async error => {
    await mongo.close()
    throw error
  })
  service.readyWhen(
    'mongodb',
    () => mongo.db?.command({ ping: 1 }) ?? Promise.reject(new Error('not connected')),
  )
  service.onClose(() => mongo.close())
  const { redis, peers, log, metrics, root } = service
  const outbox = createOutbox({ mongo, log, metrics, root, skipsHeavy: config.ROLE === 'api' })
  const tasks = createTasks({ log, metrics, root })
  const audit = createAudit({
    mongo,
    redis,
    outbox,
    tasks,
    prefix: config.REDIS_PREFIX,
    service: name,
    log,
    to: {
      append: entries => peers.call('auth', auditInternal.appendAudit, { body: { entries }, ms: APPEND_MS }),
    },
  })
  return Object.assign(service, { mongo, outbox, tasks, audit })
}

/** Serves what administrators see of the outbox, and do with it. */
const serveOutbox = (service: StoreService): void => {
  const { outbox } = service
  service.internal(outboxInternal.listFailedWork, () => outbox.failed(LIMITS.failedWorkMax))
  service.internal(outboxInternal.settleFailedWork, async ({ params: { id }, body: { action } }) => {
    if (!(await (action === 'retry' ? outbox.retry(id) : outbox.drop(id)))) throw notFound()
    return DONE
  })
}

/** Starts the outbox and the tasks. They end before what their work uses is closed. */
const startWork = ({ outbox, tasks, onClose }: StoreService, { ROLE }: StoreConfig): void => {
  outbox.start()
  if (ROLE !== 'api') tasks.start()
  onClose(() => Promise.all([outbox.close(), tasks.close()]))
}

/**
 * Starts a service with its own database: `build` registers models, routes, tasks and kinds of the outbox; then migrations
 * run, the models' collections and indexes are created, and the work starts. On failure the service is closed, and this
 * throws.
 */
export const startStoreService = async (
  name: string,
  config: StoreConfig,
  deps: ServiceDeps | undefined,
  build: (service: StoreService) => void,
  migrations: readonly Migration[] = [],
): Promise<StoreService> => {
  const service = await createStoreService(name, config, deps)
  try {
    build(service)
    serveOutbox(service)
    await migrate(service.mongo, migrations, service.log)
    await prepareModels(service.mongo)
    startWork(service, config)
    return service
  } catch (error) {
    await service.close()
    throw error
  }
}

declare module 'fastify' {
  interface FastifyContextConfig {
    checksBody?: boolean
    /** The body is bytes. */
    raw?: boolean
  }
  interface FastifyRequest {
    caller?: Caller
  }
}
