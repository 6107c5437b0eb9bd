import { Readable } from 'node:stream'
import { API_BASE, FEEDS, LIMITS, OPERATIONS, pathPattern } from '@iodine/contracts'
import {
  badRequest,
  type Caller,
  calling,
  createAgent,
  forbidden,
  HttpError,
  notFound,
  requireAccess,
  SHORT_KEEP_ALIVE,
  sendTaxiiError,
  timedOut,
  tooManyRequests,
  unavailable,
} from '@iodine/service-kit'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type Dispatcher, errors } from 'undici'
import { type ApiTokenCheck, isApiToken } from '../api-tokens.js'
import { type Body, busy, createBodies, tooLarge } from '../bodies.js'
import { BOUNDS, type Bounds, type Refusal } from '../bounds.js'
import type { FeedKeyCheck } from '../feed-keys.js'
import type { Limits } from '../limits.js'
import { createLivenessProbe } from '../liveness.js'
import type { Route } from '../routes.js'
import type { SessionCheck } from '../sessions.js'
import { type Holder, holderOf, Pool, Shares, type SharesOf } from '../shares.js'

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']
const CONNECT_MS = 2_000
const WAIT_MS = 30_000
/** Timeout of a service's health check. Two misses mark it as hung; a busy machine is no fault. */
const LIVENESS_MS = 2_000

// Hop-by-hop headers (RFC 9110, 7.6.1), and headers that only this gateway may set.
const NOT_FORWARDED = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'expect',
  'host',
  'cookie',
  'forwarded',
  'x-real-ip',
  'x-request-id',
  'x-service-key',
])
const NAMES_OF_ONE_CONNECTION = /^\s*(keep-alive|close)?\s*$/i
const forwardedHeaders = (
  request: FastifyRequest,
  publicUrl: URL | undefined,
): Record<string, string | string[]> => {
  const { connection = '' } = request.headers
  const named = NAMES_OF_ONE_CONNECTION.test(connection) ? [] : connection.toLowerCase().split(/[\s,]+/)
  const headers: Record<string, string | string[]> = {}
  for (const name in request.headers) {
    const value = request.headers[name]
    if (
      value !== undefined &&
      !NOT_FORWARDED.has(name) &&
      !name.startsWith('x-forwarded-') &&
      !named.includes(name)
    )
      headers[name] = value
  }
  headers['x-request-id'] = request.id
  headers['x-forwarded-for'] = request.ip
  // Services know neither feed keys nor API tokens: what auth made for a checked one takes its place.
  if (request.serviceToken !== undefined) headers.authorization = `Bearer ${request.serviceToken}`
  else if (isApiToken(request.headers.authorization)) delete headers.authorization
  if (request.isFeed) {
    // Feeds name their own addresses.
    headers['x-forwarded-host'] = publicUrl?.host ?? request.host
    headers['x-forwarded-proto'] = publicUrl?.protocol.slice(0, -1) ?? request.protocol
  }
  return headers
}
const HOP_BY_HOP = new Set(['connection', 'keep-alive', 'transfer-encoding', 'trailer', 'upgrade'])

/** Names before parameters, as the services' router has it: `/campaigns/my` is no `/campaigns/:id`. */
const byLiterals = (a: { template: string }, b: { template: string }): number => {
  const [one, other] = [a, b].map(({ template }) => template.replaceAll(':', '\uffff')) as [string, string]
  return one < other ? -1 : Number(one > other)
}

/** Matches requests to a section's operations in the contracts, and tells who may call them. */
const operationsOf = ({ prefix }: Route) => {
  const operations = OPERATIONS.filter(
    ({ spec }) => /^\/([^/]+)/.exec(spec.path)?.[1] === prefix || spec.path.startsWith('/:'),
  ).map(({ spec }) => ({
    method: spec.method,
    template: `${API_BASE}${spec.path}`,
    path: pathPattern(spec, API_BASE),
    open: spec.access === 'anyone',
    spec,
    waits: spec.waits ?? false,
  }))
  operations.sort(byLiterals)
  return (request: FastifyRequest) => {
    const url = request.raw.url ?? ''
    const end = url.indexOf('?')
    const path = end < 0 ? url : url.slice(0, end)
    const method = request.method === 'HEAD' ? 'GET' : request.method
    return operations.find(operation => operation.method === method && operation.path.test(path))
  }
}

/** The path of a request, without its query. */
const pathOf = ({ raw: { url = '' } }: FastifyRequest): string => url.split('?', 1)[0] ?? ''

/** Matches requests to the endpoints of a feed. */
const feedsOf = (prefix: string) => {
  const endpoints = FEEDS.filter(each => each.prefix === prefix).map(({ spec }) => ({
    template: spec.path,
    path: pathPattern(spec),
  }))
  return (request: FastifyRequest) => endpoints.find(({ path }) => path.test(pathOf(request)))
}

const failure = (error: unknown): unknown => {
  if (error instanceof HttpError) return error
  if (error instanceof errors.InvalidArgumentError) return badRequest()
  if (error instanceof errors.HeadersTimeoutError || error instanceof errors.BodyTimeoutError)
    return timedOut()
  return unavailable()
}

/** Responses up to this many bytes are buffered and sent at once, which costs less than a stream. */
const WHOLE_BYTES = 65_536

interface AnswerEvents {
  sent(reply: FastifyReply): void
  failed(error: unknown): void
  heard(): void
  /** The service has finished with the request. */
  over(): void
}

/** Relays a service's response: buffered when it is short, else streamed at the client's pace. */
class Answer implements Dispatcher.DispatchHandler {
  readonly #reply: FastifyReply
  readonly #on: AnswerEvents
  #controller: Dispatcher.DispatchController | undefined
  #chunks: Buffer[] | undefined
  #stream: Readable | undefined
  #isAborted = false
  #isOver = false

  constructor(reply: FastifyReply, on: AnswerEvents) {
    this.#reply = reply
    this.#on = on
  }

  abort(): void {
    this.#isAborted = true
    if (!this.#isOver) this.#controller?.abort(new errors.RequestAbortedError())
  }

  /** Fails the request if nothing of the response has arrived. */
  giveUp(error: HttpError): void {
    if (this.#isOver || this.#stream || this.#chunks) return
    this.#on.failed(error)
    this.abort()
    this.#isOver = true
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    if (this.#isAborted) this.abort()
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    this.#on.heard()
    // 1xx responses concern only the gateway and the service.
    if (status < 200) return
    this.#reply.code(status).header('cache-control', 'no-store')
    for (const name in headers) {
      const value = headers[name]
      if (value !== undefined && !HOP_BY_HOP.has(name)) this.#reply.header(name, value)
    }
    if (Number(headers['content-length']) <= WHOLE_BYTES) {
      this.#chunks = []
      return
    }
    this.#stream = new Readable({
      read: () => controller.resume(),
      destroy: (error, done) => {
        this.abort()
        done(error)
      },
    })
    this.#on.sent(this.#reply.send(this.#stream))
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#on.heard()
    if (this.#chunks) this.#chunks.push(chunk)
    else if (!this.#stream?.push(chunk)) controller.pause()
  }

  onResponseEnd(): void {
    this.#isOver = true
    this.#on.over()
    if (this.#stream) this.#stream.push(null)
    else this.#on.sent(this.#reply.send(Buffer.concat(this.#chunks ?? [])))
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#on.over()
    if (this.#isOver) return
    this.#isOver = true
    if (this.#stream) this.#stream.destroy(error)
    else this.#on.failed(error)
  }
}

/** Where a request goes, and its rules. */
type Target = Omit<Route, 'prefix'>

const hasBody = ({ method, headers }: FastifyRequest): boolean =>
  method !== 'GET' &&
  method !== 'HEAD' &&
  (headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0)

/** Usage of the shared resources. */
export interface Load {
  /** Concurrent API requests. */
  in_flight: number
  /** Bodies that are still arriving. */
  arriving: number
  /** Bytes of bodies kept until their service has answered. */
  memory_bytes: number
  file_bytes: number
  /** Requests per service that hold or await a connection; `… waits`: operations waiting for other work. */
  pools: Record<string, { active: number; waiting: number }>
}

export interface ProxyOptions {
  routes: readonly Route[]
  /** A service's address; undefined while it isn't deployed. */
  addressOf: (service: Route['service']) => string | undefined
  checkSession: SessionCheck
  checkFeedKey: FeedKeyCheck
  checkApiToken: ApiTokenCheck
  /** Address of this deployment, which feeds name; by default that of the request. */
  publicUrl?: URL | undefined
  limits: Limits
  bounds?: Bounds
  /** Called with the reason when a request is refused for lack of room. */
  refused?: (reason: Refusal) => void
  /**
   * Timeout of a service's health check, which is sent when a response takes half as long; 2 s by default.
   */
  livenessMs?: number
}

/**
 * Routes requests below /api/v1 to the services and streams the responses back. A request is forwarded once
 * its body is complete and a connection is free. Bodies are not parsed.
 */
export const addProxy = (
  app: FastifyInstance,
  {
    routes,
    addressOf,
    checkSession,
    checkFeedKey,
    checkApiToken,
    publicUrl,
    limits,
    bounds = BOUNDS,
    refused = () => {},
    livenessMs = LIVENESS_MS,
  }: ProxyOptions,
): (() => Load) => {
  const agentOf = ({ all }: SharesOf) =>
    createAgent({
      connections: all,
      connect: { timeout: CONNECT_MS },
      ...SHORT_KEEP_ALIVE,
      bodyTimeout: 60_000,
    })
  const agents = { pool: agentOf(bounds.pool), waitPool: agentOf(bounds.waitPool) }
  const pools = new Map<string, Pool>()
  const poolOf = (service: string, kind: keyof typeof agents): Pool => {
    const name = kind === 'pool' ? service : `${service} waits`
    const pool = pools.get(name) ?? new Pool(bounds[kind])
    pools.set(name, pool)
    return pool
  }
  const inFlight = new Shares(bounds.inFlight)
  const bodies = createBodies(bounds, refused)
  const liveness = createLivenessProbe(livenessMs)
  app.addHook('onClose', async () => {
    bodies.close()
    await Promise.all([agents.pool.close(), agents.waitPool.close()])
    await liveness.close()
  })

  /** Waits for a connection of the pool; the wait ends when the client disconnects. */
  const enter = (pool: Pool, holder: Holder, reply: FastifyReply): Promise<void> =>
    new Promise((resolve, reject) => {
      const settle = () => {
        clearTimeout(timer)
        reply.raw.off('close', onClose)
        place.cancel()
      }
      const place = pool.wait(holder, () => {
        settle()
        resolve()
      })
      const timer = setTimeout(() => {
        settle()
        refused('no_connection')
        reject(busy())
      }, bounds.poolWaitMs)
      const onClose = () => {
        settle()
        reject(unavailable())
      }
      reply.raw.once('close', onClose)
    })

  const exchange = (
    route: Target,
    request: FastifyRequest,
    reply: FastifyReply,
    { origin, body, dispatcher }: { origin: string; body: Body | undefined; dispatcher: Dispatcher },
    over: () => void,
  ): Promise<FastifyReply> => {
    let isSettled = false
    return new Promise((resolve, reject) => {
      const sent = (answered: FastifyReply) => {
        settle()
        resolve(answered)
      }
      const failed = (error: unknown) => {
        settle()
        reject(failure(error))
      }
      const answer = new Answer(reply, { sent, failed, heard: () => liveness.heardFrom(origin), over })
      const settle = () => {
        isSettled = true
        clearTimeout(watch)
      }
      const checkLiveness = async () => {
        if (!(await liveness.isAlive(origin))) answer.giveUp(unavailable())
        else if (!isSettled) watch = setTimeout(checkLiveness, livenessMs)
      }
      // A hung service is detected after 2.5 times `livenessMs`.
      let watch = setTimeout(checkLiveness, livenessMs / 2)
      // A client that disconnected must not hold a place in the pool.
      reply.raw.once('close', () => {
        settle()
        if (!reply.raw.writableFinished) answer.abort()
      })
      const headers = forwardedHeaders(request, publicUrl)
      if (body) headers['content-length'] = String(body.bytes)
      calling(route.service, () =>
        dispatcher.dispatch(
          {
            origin,
            path: request.raw.url ?? '/',
            method: request.method as Dispatcher.HttpMethod,
            headers,
            body: body?.content() ?? null,
            headersTimeout: route.waitMs ?? WAIT_MS,
          },
          answer,
        ),
      )
    })
  }

  const forward = async (
    route: Target,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<FastifyReply> => {
    const origin = addressOf(route.service)
    if (!origin) throw unavailable()
    const { holder, kind, bodyLimit } = request.admitted
    if (Number(request.headers['content-length'] ?? 0) > bodyLimit) throw tooLarge()
    const leaveIfGone = () => {
      if (reply.raw.destroyed) throw unavailable()
    }
    leaveIfGone()
    if (!inFlight.take(holder)) {
      refused('in_flight')
      throw tooManyRequests(1)
    }
    reply.raw.once('close', () => inFlight.give(holder))
    const body = hasBody(request) ? await bodies.take(request.raw, holder, bodyLimit) : undefined
    const pool = poolOf(route.service, kind)
    let isOver = true
    const over = () => {
      if (!isOver) pool.give(holder)
      isOver = true
      body?.free()
    }
    try {
      leaveIfGone()
      if (!pool.take(holder)) await enter(pool, holder, reply)
      isOver = false
      leaveIfGone()
      return await exchange(
        route,
        request,
        reply,
        { origin, body, dispatcher: agents[kind].dispatcher },
        over,
      )
    } catch (error) {
      over()
      throw error
    }
  }

  /** Who calls, by a session or an API token. Throws 401, or 503 when it cannot be checked. */
  const identify = async (request: FastifyRequest): Promise<Caller> => {
    const { authorization } = request.headers
    if (!isApiToken(authorization)) return checkSession(authorization)
    const { caller, token } = await checkApiToken(authorization, () => limits.checkStranger(request.ip))
    request.serviceToken = token
    return caller
  }

  const admit =
    (operationOf: ReturnType<typeof operationsOf>) =>
    async (request: FastifyRequest): Promise<void> => {
      const operation = operationOf(request)
      const kind = operation?.waits ? 'waitPool' : 'pool'
      const bodyLimit = operation?.spec.bodyLimit ?? LIMITS.bodyBytes
      request.template = operation?.template
      if (operation?.open) {
        request.admitted = { holder: holderOf(request.ip), kind, bodyLimit }
        return limits.stranger(request.ip)
      }
      let caller: Caller
      try {
        caller = await identify(request)
      } catch (error) {
        await limits.stranger(request.ip)
        // A path outside the contracts answers 404 instead of 401, unless the caller has a session: services
        // may have more routes than these contracts.
        throw !operation && error instanceof HttpError && error.status === 401 ? notFound() : error
      }
      request.admitted = { holder: holderOf(request.ip, caller), kind, bodyLimit }
      // By user: a script with ten tokens gets no more than a browser.
      await limits.user(caller.id)
      if (caller.scope !== 'api') return
      if (!operation) throw notFound()
      requireAccess(caller, operation.spec)
    }

  const admitReader =
    (feedOf: ReturnType<typeof feedsOf>) =>
    async (request: FastifyRequest): Promise<void> => {
      const feed = feedOf(request)
      request.template = feed?.template
      let key: Awaited<ReturnType<FeedKeyCheck>>
      try {
        key = await checkFeedKey(request.headers.authorization)
      } catch (error) {
        await limits.stranger(request.ip)
        throw error
      }
      const holder = holderOf(request.ip, { id: key.user_id })
      request.admitted = { holder, kind: 'pool', bodyLimit: LIMITS.bodyBytes }
      request.serviceToken = key.token
      request.isFeed = true
      await limits.feed(key.id)
      // Nothing is written by feeds.
      if (request.method !== 'GET' && request.method !== 'HEAD') throw forbidden()
      if (!feed) throw notFound()
    }

  app.register(async scope => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', (_request, _payload, done) => done(null))
    scope.decorateRequest('admitted')
    scope.decorateRequest('serviceToken')
    scope.decorateRequest('isFeed', false)
    for (const route of routes) {
      const options = {
        config: { countsItself: true },
        onRequest: admit(operationsOf(route)),
        handler: (request: FastifyRequest, reply: FastifyReply) => forward(route, request, reply),
      }
      scope.route({ method: METHODS, url: `${API_BASE}/${route.prefix}`, ...options })
      scope.route({ method: METHODS, url: `${API_BASE}/${route.prefix}/*`, ...options })
    }
    for (const [prefix, { service, spec }] of new Map(FEEDS.map(each => [each.prefix, each]))) {
      const options = {
        config: { countsItself: true },
        ...(spec.form === 'taxii' && { errorHandler: sendTaxiiError }),
        onRequest: admitReader(feedsOf(prefix)),
        handler: (request: FastifyRequest, reply: FastifyReply) => forward({ service }, request, reply),
      }
      scope.route({ method: METHODS, url: `/${prefix}`, ...options })
      scope.route({ method: METHODS, url: `/${prefix}/*`, ...options })
    }
  })
  return () => ({
    in_flight: inFlight.held,
    ...bodies.state(),
    pools: Object.fromEntries(
      [...pools].map(([name, { active, waiting }]) => [name, { active, waiting }] as const),
    ),
  })
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The holder that an API request counts for, the connection pool it uses, and the most bytes of its body. */
    admitted: { holder: Holder; kind: 'pool' | 'waitPool'; bodyLimit: number }
    /** For the service, in place of the feed key or API token. */
    serviceToken?: string
    isFeed: boolean
  }
}
