import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { DETAILS, type ErrorBody, LIMITS } from '@iodine/contracts'
import { type Context, context, ROOT_CONTEXT, trace } from '@opentelemetry/api'
import Fastify, {
  type FastifyBaseLogger,
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify'
import type { PartMetrics } from '../observe/metrics.js'
import type { Tracing } from '../observe/otlp.js'
import { traceIdOf, withRequestId } from '../observe/work-context.js'
import { readForwarded } from './addresses.js'
import { readBytes } from './bytes.js'
import { badRequest, HttpError, isDependencyDown } from './errors.js'
import { parseJsonBody } from './json.js'

const body = (detail: string | string[]): ErrorBody => ({ detail })

const FASTIFY_ERRORS: Record<string, [number, string]> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: [415, DETAILS.notJson],
  FST_ERR_CTP_BODY_TOO_LARGE: [413, DETAILS.bodyTooLarge],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: [400, DETAILS.badRequest],
  FST_ERR_BAD_URL: [400, DETAILS.badRequest],
  FST_ERR_MAX_PARAM_LENGTH: [414, DETAILS.uriTooLong],
  FST_ERR_HANDLER_TIMEOUT: [504, DETAILS.timeout],
}

/** Paths polled every few seconds by probes and scrapes: their log lines would hide the others. */
const POLLED = new Set(['/healthz', '/readyz', '/metrics'])

/** Client closed the request before the answer, as in nginx. */
const CLIENT_GONE = 499

/** Headers of trace propagation. */
const TRACE_HEADERS = ['traceparent', 'tracestate', 'baggage']

const MAX_PATH = 12_288
/** Maximum length of a query: three texts of the maximum length, four percent-encoded bytes a character, and 8 KiB. */
const MAX_QUERY = 3 * 12 * LIMITS.fieldMax + 8_192
/** Maximum length of all header fields together. */
const MAX_FIELDS = 16_384

/** Maps any error to a status and a body without internal details. */
export const errorAnswer = (
  error: unknown,
): { status: number; detail: string | string[]; headers?: HttpError['headers'] } => {
  if (error instanceof HttpError) return error
  const known = FASTIFY_ERRORS[(error as FastifyError)?.code ?? '']
  if (known) return { status: known[0], detail: known[1] }
  if (isDependencyDown(error)) return { status: 503, detail: DETAILS.unavailable }
  const status = (error as FastifyError)?.statusCode
  if (typeof status === 'number' && status >= 400 && status < 500)
    return { status, detail: DETAILS.badRequest }
  return { status: 500, detail: DETAILS.internal }
}

const sendError = (error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
  const { status, detail: usual, headers } = errorAnswer(error)
  const detail = status === 415 && request.routeOptions.config.raw ? DETAILS.notBytes : usual
  if (status >= 500) request.log.error({ request_id: request.id, err: error }, 'request failed')
  // The rest of the body is read: closing with bytes unread would reset the connection before the answer is read.
  if (status === 413) {
    reply.removeHeader('connection')
    request.raw.resume()
  }
  return reply
    .code(status)
    .headers(headers ?? {})
    .type('application/json; charset=utf-8')
    .send(JSON.stringify(body(detail)))
}

/** Returns the fault of a request head that Node's own limits admit; undefined if it is valid. */
const headFault = ({
  url = '',
  httpVersion,
  headers,
  rawHeaders,
}: IncomingMessage): HttpError | undefined => {
  const query = url.indexOf('?')
  const path = query < 0 ? url.length : query
  if (path > MAX_PATH || url.length - path > MAX_QUERY) return new HttpError(414, DETAILS.uriTooLong)
  if (rawHeaders.reduce((sum, { length }) => sum + length, 0) > MAX_FIELDS)
    return new HttpError(431, DETAILS.headersTooLarge)
  return headers.host === undefined && httpVersion === '1.1' ? badRequest() : undefined
}

// Parse errors of the HTTP server: Node answers them before routing.
const onClientError = (error: Error & { code?: string }, socket: Socket, headers: string): void => {
  if (!socket.writable || error.code === 'ECONNRESET') return void socket.destroy()
  const [status, phrase, detail] =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? [431, 'Request Header Fields Too Large', DETAILS.headersTooLarge]
      : error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? [408, 'Request Timeout', DETAILS.timeout]
        : [400, 'Bad Request', DETAILS.badRequest]
  const text = JSON.stringify(body(detail as string))
  socket.end(
    `HTTP/1.1 ${status} ${phrase}\r\nX-Request-Id: ${randomUUID()}\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(text)}\r\nConnection: close\r\n${headers}\r\n${text}`,
  )
}

export interface HttpAppOptions {
  logger: FastifyBaseLogger
  trustProxy?: boolean | string | ((address: string, hop: number) => boolean)
  bodyLimit?: number
  metrics?: PartMetrics | undefined
  tracing?: Tracing | undefined
  /** Callers are public: their trace headers are ignored and each request starts a trace. */
  isPublic?: boolean
  /** Sent with every answer, also to malformed requests. */
  headers?: Record<string, string>
  /** Answers a request that matches no route; undefined results in a 404. */
  fallback?: (request: FastifyRequest, reply: FastifyReply) => FastifyReply | undefined
}

/** Returns the path template of a request, for logs, metrics and traces: raw paths contain ids and are unbounded. */
const routeOf = (request: FastifyRequest): string => request.template ?? request.routeOptions.url ?? 'none'

/** Adds the body parsers: strict JSON, and bytes for `raw` routes. */
const addParsers = (app: FastifyInstance, bodyLimit: number): void => {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, payload, done) => {
    try {
      done(null, parseJsonBody(payload as Buffer, !request.routeOptions.config.checksBody))
    } catch (error) {
      done(error as Error)
    }
  })
  const isForm = ['application/x-www-form-urlencoded', 'multipart/form-data']
  app.addContentTypeParser(isForm, { parseAs: 'buffer' }, async (request: FastifyRequest) => {
    if (!request.routeOptions.config.takesForm) throw new HttpError(415, DETAILS.notJson)
  })
  app.addContentTypeParser('application/octet-stream', async (request: FastifyRequest, payload: Readable) => {
    const { config, bodyLimit: limit = bodyLimit } = request.routeOptions
    if (!config.raw) throw new HttpError(415, DETAILS.notJson)
    return readBytes(payload, request.headers['content-length'], limit)
  })
}

/** Logs and counts a request that has ended. */
const endRequest = (request: FastifyRequest, reply: FastifyReply, metrics: PartMetrics | undefined): void => {
  const route = routeOf(request)
  const { method, work } = request
  const ms = reply.elapsedTime
  const status = reply.raw.writableFinished ? reply.statusCode : CLIENT_GONE
  const fields = { request_id: request.id, trace_id: work && traceIdOf(work), method, route, status }
  const level = status < 400 && POLLED.has(route) ? 'debug' : 'info'
  request.log[level]({ ...fields, ms: Math.round(ms) }, 'request')
  metrics?.observeRequest(method, route, status, ms)
}

/**
 * Adds the hooks that set each request's context, headers, span and log line. Hooks without async work take a callback:
 * they run for every request of every part.
 */
const addRequestHooks = (
  app: FastifyInstance,
  { trustProxy = false, metrics, tracing, isPublic = false, headers = {} }: HttpAppOptions,
): void => {
  const root = tracing?.root ?? ROOT_CONTEXT
  app.decorateRequest('work')
  app.decorateRequest('template')
  app.addHook('onRequest', (request, reply, done) => {
    reply.raw.once('close', () => endRequest(request, reply, metrics))
    reply.headers(headers).header('x-request-id', request.id)
    if (trustProxy !== false) readForwarded(request.raw.headers)
    if (isPublic) for (const name of TRACE_HEADERS) delete request.headers[name]
    context.with(withRequestId(root, request.id), done)
  })
  tracing?.watch(app)
  app.addHook('onRequest', (request, _reply, done) => {
    request.work = context.active()
    done(headFault(request.raw))
  })
  // Body events belong to the connection and lose the request's context.
  app.addHook('preValidation', (request, _reply, done) => {
    if (request.work && request.work !== context.active()) context.with(request.work, done)
    else done()
  })
  app.addHook('onSend', ({ method, template, work }, reply, payload, done) => {
    if (app.isDraining) reply.header('connection', 'close')
    if (template && work)
      trace.getSpan(work)?.updateName(`${method} ${template}`).setAttribute('http.route', template)
    done(null, payload)
  })
}

/** Adds `drain`, and closes idle connections at once when the app closes: they would delay it until their timeout. */
const addDraining = (app: FastifyInstance): void => {
  let closing = false
  app.decorate('isDraining', { getter: () => closing })
  app.decorate('drain', async ms => {
    closing = true
    await sleep(ms)
  })
  // Connections without a request yet (browser preconnect): Node does not count them as idle.
  const unused = new Set<Socket>()
  app.server.on('connection', (socket: Socket) => {
    unused.add(socket)
    socket.once('close', () => unused.delete(socket))
  })
  app.server.on('request', request => unused.delete(request.socket))
  app.addHook('preClose', async () => {
    closing = true
    const sweep = setInterval(() => {
      // A connection answered before its request was fully received becomes idle after Fastify's check.
      app.server.closeIdleConnections()
      for (const socket of unused) socket.destroy()
    }, 100)
    app.server.once('close', () => clearInterval(sweep))
  })
}

/**
 * Creates a Fastify instance with the contract's wire conventions: JSON errors from every layer, strict JSON input,
 * paths with and without a trailing slash. Logs, counts and traces each request under its id.
 */
export const createHttpApp = (options: HttpAppOptions): FastifyInstance => {
  const { logger, trustProxy = false, bodyLimit = LIMITS.bodyBytes, headers = {}, fallback } = options
  const headerLines = Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')
  const app: FastifyInstance = Fastify({
    // Node would answer without a body; the hook below sends a JSON error. Head and body timeouts are checked
    // at this interval; Node's default of 30 s would extend them by as much.
    http: {
      requireHostHeader: false,
      connectionsCheckingInterval: 2_000,
      headersTimeout: 20_000,
      maxHeaderSize: MAX_PATH + MAX_QUERY + MAX_FIELDS,
    },
    loggerInstance: logger,
    trustProxy,
    bodyLimit,
    routerOptions: { ignoreTrailingSlash: true, ignoreDuplicateSlashes: false, maxParamLength: 512 },
    genReqId: request => {
      const given = request.headers['x-request-id']
      return typeof given === 'string' && /^[\w-]{8,64}$/.test(given) ? given : randomUUID()
    },
    frameworkErrors: (error, request, reply) => void sendError(error, request, reply.headers(headers)),
    clientErrorHandler: (error, socket) => onClientError(error, socket, headerLines),
    logController: new LogController({ disableRequestLogging: true }),
    // The logger adds the request id itself.
    childLoggerFactory: parent => parent,
    forceCloseConnections: 'idle',
    keepAliveTimeout: 72_000,
    requestTimeout: 120_000,
    // Requests that arrive during close are still answered, with our own error format.
    return503OnClosing: false,
  })
  addParsers(app, bodyLimit)
  app.setErrorHandler((error, request, reply) => sendError(error, request, reply))
  app.setNotFoundHandler(
    (request, reply) =>
      fallback?.(request, reply) ?? sendError(new HttpError(404, DETAILS.notFound), request, reply),
  )
  addRequestHooks(app, options)
  // Unknown Expect headers are ignored; Node would refuse them without a body.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response))
  addDraining(app)
  return app
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Context of the request's work: its id, and its trace if any. */
    work?: Context
    /** Path template, if more specific than the route's own. */
    template?: string | undefined
  }
  interface FastifyInstance {
    /** True while the process drains: each answer then closes its connection. */
    readonly isDraining: boolean
    /** Starts draining; resolves after `ms` milliseconds. */
    drain(ms: number): Promise<void>
  }
}
