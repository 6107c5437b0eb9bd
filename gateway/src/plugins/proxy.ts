import { Transform } from 'node:stream'
import { DETAILS, LIMITS } from '@iodine/contracts'
import { API_BASE, badRequest, HttpError, notFound, timedOut, unavailable } from '@iodine/service-kit'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Agent, errors } from 'undici'
import { endpoints } from '../openapi.js'
import type { Route } from '../routes.js'
import type { SessionCheck } from '../sessions.js'

const CONNECT_MS = 2_000
const WAIT_MS = 30_000

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
])
const forwardedHeaders = (request: FastifyRequest): Record<string, string | string[]> => {
  const named = request.headers.connection?.toLowerCase().split(/[\s,]+/) ?? []
  const headers: Record<string, string | string[]> = {}
  for (const [name, value] of Object.entries(request.headers))
    if (
      value !== undefined &&
      !NOT_FORWARDED.has(name) &&
      !name.startsWith('x-forwarded-') &&
      !named.includes(name)
    )
      headers[name] = value
  headers['x-request-id'] = request.id
  headers['x-forwarded-for'] = request.ip
  return headers
}
const HOP_BY_HOP = new Set(['connection', 'keep-alive', 'transfer-encoding', 'trailer', 'upgrade'])

/** Operations of the contracts: whether a request is one of them, and whether that asks for a session. */
const OPERATIONS = endpoints.map(({ spec }) => ({
  method: spec.method,
  path: new RegExp(`^${API_BASE}${spec.path.replace(/:\w+/g, '[^/]+')}/?$`),
  open: spec.access === 'anyone',
}))
const operationOf = (request: FastifyRequest) => {
  const path = (request.raw.url ?? '').split('?', 1)[0] ?? ''
  const method = request.method === 'HEAD' ? 'GET' : request.method
  return OPERATIONS.find(operation => operation.method === method && operation.path.test(path))
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

export interface ProxyOptions {
  routes: readonly Route[]
  /** A service's address; undefined while it isn't deployed. */
  addressOf: (service: Route['service']) => string | undefined
  checkSession: SessionCheck
}

/** Streams requests below /api/v1 on to the services and their answers back; nothing is buffered or parsed here. */
export const addProxy = (app: FastifyInstance, { routes, addressOf, checkSession }: ProxyOptions): void => {
  const agent = new Agent({
    connections: 128,
    connect: { timeout: CONNECT_MS },
    keepAliveTimeout: 30_000,
    bodyTimeout: 60_000,
  })
  app.addHook('onClose', () => agent.close())

  const forward = async (
    route: Route,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<FastifyReply> => {
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
    // A client that has gone away must not hold a place in the pool.
    const gone = new AbortController()
    reply.raw.once('close', () => {
      if (!reply.raw.writableFinished) gone.abort()
    })
    try {
      const answer = await agent.request({
        origin,
        path: request.raw.url ?? '/',
        method: request.method as 'GET',
        headers: forwardedHeaders(request),
        body,
        signal: gone.signal,
        headersTimeout: route.waitMs ?? WAIT_MS,
      })
      reply.code(answer.statusCode).header('cache-control', 'no-store')
      for (const [name, value] of Object.entries(answer.headers))
        if (value !== undefined && !HOP_BY_HOP.has(name)) reply.header(name, value)
      return reply.send(answer.body)
    } catch (error) {
      body?.destroy()
      throw failure(error)
    }
  }

  const admit = async (request: FastifyRequest): Promise<void> => {
    const operation = operationOf(request)
    if (operation?.open) return
    try {
      await checkSession(request.headers.authorization)
    } catch (error) {
      // What doesn't exist is not worth signing in for; a service may know more than these contracts, though.
      throw !operation && error instanceof HttpError && error.status === 401 ? notFound() : error
    }
  }

  app.register(async scope => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', (_request, _payload, done) => done(null))
    for (const route of routes) {
      const options = {
        onRequest: admit,
        handler: (request: FastifyRequest, reply: FastifyReply) => forward(route, request, reply),
      }
      const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']
      scope.route({ method: methods, url: `${API_BASE}/${route.prefix}`, ...options })
      scope.route({ method: methods, url: `${API_BASE}/${route.prefix}/*`, ...options })
    }
  })
}
