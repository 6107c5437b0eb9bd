import { Readable, Transform } from 'node:stream'
import { DETAILS, LIMITS } from '@iodine/contracts'
import {
  API_BASE,
  badRequest,
  type Caller,
  createAgent,
  HttpError,
  notFound,
  SHORT_KEEP_ALIVE,
  type Span,
  timedOut,
  unavailable,
} from '@iodine/service-kit'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type Dispatcher, errors } from 'undici'
import type { Limits } from '../limits.js'
import { endpoints } from '../openapi.js'
import { createPulse } from '../pulse.js'
import type { Route } from '../routes.js'
import type { SessionCheck } from '../sessions.js'

const CONNECT_MS = 2_000
const WAIT_MS = 30_000
/** How long an answer may take before the service's pulse is felt, how often then, and how long for: a busy machine is no fault. */
const PULSE_MS = 2_000

// Hop-by-hop (RFC 9110, 7.6.1), and what only this gateway may say.
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
  // A trace begins here.
  'traceparent',
  'tracestate',
  'baggage',
])
const NAMES_OF_ONE_CONNECTION = /^\s*(keep-alive|close)?\s*$/i
const forwardedHeaders = (
  request: FastifyRequest,
  span: Span | undefined,
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
  if (span) headers.traceparent = span.traceparent
  return headers
}
const HOP_BY_HOP = new Set(['connection', 'keep-alive', 'transfer-encoding', 'trailer', 'upgrade'])

/** A section's operations in the contracts: whether a request is one of them, and whether that asks for a session. */
const operationsOf = ({ prefix }: Route) => {
  const operations = endpoints
    .filter(({ spec }) => /^\/([^/]+)/.exec(spec.path)?.[1] === prefix || spec.path.startsWith('/:'))
    .map(({ spec }) => ({
      method: spec.method,
      template: `${API_BASE}${spec.path}`,
      path: new RegExp(`^${API_BASE}${spec.path.replace(/:\w+/g, '[^/]+')}/?$`),
      open: spec.access === 'anyone',
    }))
  return (request: FastifyRequest) => {
    const url = request.raw.url ?? ''
    const end = url.indexOf('?')
    const path = end < 0 ? url : url.slice(0, end)
    const method = request.method === 'HEAD' ? 'GET' : request.method
    return operations.find(operation => operation.method === method && operation.path.test(path))
  }
}

const tooLarge = () => new HttpError(413, DETAILS.bodyTooLarge)

/** Passes bytes on and fails past `limit`, for bodies that don't say how long they are. */
const capped = (limit: number) => {
  let seen = 0
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      seen += chunk.length
      done(seen > limit ? tooLarge() : null, chunk)
    },
  })
}

const failure = (error: unknown): unknown => {
  if (error instanceof HttpError) return error
  if (error instanceof errors.InvalidArgumentError) return badRequest()
  if (error instanceof errors.HeadersTimeoutError || error instanceof errors.BodyTimeoutError)
    return timedOut()
  return unavailable()
}

/** Answers of up to so many bytes are taken in whole and sent at once, which costs less than a stream. */
const WHOLE_BYTES = 65_536

/** A service's answer on its way into a reply: sent whole where it is short, else as it comes, at the client's pace. */
class Answer implements Dispatcher.DispatchHandler {
  readonly #reply: FastifyReply
  readonly #sent: (reply: FastifyReply) => void
  readonly #failed: (error: unknown) => void
  readonly #heard: () => void
  #controller: Dispatcher.DispatchController | undefined
  #chunks: Buffer[] | undefined
  #stream: Readable | undefined
  #isAborted = false
  #isOver = false

  constructor(
    reply: FastifyReply,
    on: { sent: (reply: FastifyReply) => void; failed: (error: unknown) => void; heard: () => void },
  ) {
    this.#reply = reply
    this.#sent = on.sent
    this.#failed = on.failed
    this.#heard = on.heard
  }

  abort(): void {
    this.#isAborted = true
    if (!this.#isOver) this.#controller?.abort(new errors.RequestAbortedError())
  }

  /** Ends the wait for an answer of which nothing has come yet. */
  giveUp(error: HttpError): void {
    if (this.#isOver || this.#stream || this.#chunks) return
    this.#failed(error)
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
    this.#heard()
    // 100 Continue and its like are between the gateway and the service.
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
    this.#sent(this.#reply.send(this.#stream))
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#heard()
    if (this.#chunks) this.#chunks.push(chunk)
    else if (!this.#stream?.push(chunk)) controller.pause()
  }

  onResponseEnd(): void {
    this.#isOver = true
    if (this.#stream) this.#stream.push(null)
    else this.#sent(this.#reply.send(Buffer.concat(this.#chunks ?? [])))
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    if (this.#isOver) return
    this.#isOver = true
    if (this.#stream) this.#stream.destroy(error)
    else this.#failed(error)
  }
}

export interface ProxyOptions {
  routes: readonly Route[]
  /** A service's address; undefined while it isn't deployed. */
  addressOf: (service: Route['service']) => string | undefined
  checkSession: SessionCheck
  limits: Limits
  /** After how long a service is asked whether it is there at all; 2 s unless told. */
  pulseMs?: number
}

/** Streams requests below /api/v1 on to the services and their answers back; nothing is buffered or parsed here. */
export const addProxy = (
  app: FastifyInstance,
  { routes, addressOf, checkSession, limits, pulseMs = PULSE_MS }: ProxyOptions,
): void => {
  const agent = createAgent({
    connections: 128,
    connect: { timeout: CONNECT_MS },
    ...SHORT_KEEP_ALIVE,
    bodyTimeout: 60_000,
  })
  const pulse = createPulse(pulseMs)
  app.addHook('onClose', async () => {
    await agent.close()
    await pulse.close()
  })

  const forward = (route: Route, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const origin = addressOf(route.service)
    if (!origin) throw unavailable()
    const limit = route.bodyLimit ?? LIMITS.bodyBytes
    if (Number(request.headers['content-length'] ?? 0) > limit) throw tooLarge()

    const hasBody =
      request.headers['content-length'] !== undefined || request.headers['transfer-encoding'] !== undefined
    const body =
      hasBody && request.method !== 'GET' && request.method !== 'HEAD'
        ? request.raw.pipe(capped(limit))
        : null
    // What nobody reads any more would stand in the way of the connection's next request.
    body?.once('close', () => request.raw.unpipe(body).resume())
    const span = request.work?.span?.child(`forward to ${route.service}`, 'client', {
      'peer.service': route.service,
    })
    let isSettled = false
    return new Promise((resolve, reject) => {
      const sent = (answered: FastifyReply) => {
        settle()
        span?.end({ 'http.response.status_code': answered.statusCode })
        resolve(answered)
      }
      const failed = (error: unknown) => {
        body?.destroy()
        span?.end({}, (error as Error)?.name)
        reject(failure(error))
      }
      const answer = new Answer(reply, { sent, failed, heard: () => pulse.hear(origin) })
      const settle = () => {
        isSettled = true
        clearTimeout(watch)
      }
      const feelPulse = async () => {
        if (!(await pulse.isFelt(origin))) answer.giveUp(unavailable())
        else if (!isSettled) watch = setTimeout(feelPulse, pulseMs)
      }
      let watch = setTimeout(feelPulse, pulseMs)
      // A client that has gone away must not hold a place in the pool.
      reply.raw.once('close', () => {
        settle()
        if (!reply.raw.writableFinished) answer.abort()
      })
      agent.dispatcher.dispatch(
        {
          origin,
          path: request.raw.url ?? '/',
          method: request.method as Dispatcher.HttpMethod,
          headers: forwardedHeaders(request, span),
          body,
          headersTimeout: route.waitMs ?? WAIT_MS,
        },
        answer,
      )
    })
  }

  const admit =
    (operationOf: ReturnType<typeof operationsOf>) =>
    async (request: FastifyRequest): Promise<void> => {
      const operation = operationOf(request)
      request.template = operation?.template
      if (operation?.open) return limits.stranger(request.ip)
      let caller: Caller
      try {
        caller = await checkSession(request.headers.authorization)
      } catch (error) {
        await limits.stranger(request.ip)
        // What doesn't exist is not worth signing in for; a service may know more than these contracts, though.
        throw !operation && error instanceof HttpError && error.status === 401 ? notFound() : error
      }
      await limits.user(caller.id)
    }

  app.register(async scope => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', (_request, _payload, done) => done(null))
    for (const route of routes) {
      const options = {
        config: { countsItself: true },
        onRequest: admit(operationsOf(route)),
        handler: (request: FastifyRequest, reply: FastifyReply) => forward(route, request, reply),
      }
      const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']
      scope.route({ method: methods, url: `${API_BASE}/${route.prefix}`, ...options })
      scope.route({ method: methods, url: `${API_BASE}/${route.prefix}/*`, ...options })
    }
  })
}
