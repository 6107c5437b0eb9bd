import { timingSafeEqual } from 'node:crypto'
import {
  API_BASE,
  type BodyOf,
  DETAILS,
  type EndpointSpec,
  type FeedEndpoint,
  type InternalEndpoint,
  type PageEndpoint,
  type ParamsOf,
  type PublicEndpoint,
  type QueryOf,
  type ResponseOf,
  type Tlp,
} from '@iodine/contracts'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { requireAccess } from './access.js'
import { forbidden, HttpError, notFound, unauthenticated, unavailable } from './errors.js'
import { checkPlainData } from './json.js'
import { SERVICE_KEY_HEADER } from './peers.js'
import { JSON_TYPE, type ReplyHead, Streamed } from './streamed.js'
import { sendTaxiiError } from './taxii-errors.js'
import { bearerToken, type Caller, type TokenVerifier } from './tokens.js'
import { validate } from './validate.js'

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

/** Reader of a feed, and the highest TLP level that it may read. */
export interface FeedReader {
  id: string
  tlp: Tlp
}
export type FeedHandler<E extends FeedEndpoint> = (
  call: InternalCall<E> & { reader: FeedReader },
) => Promise<Streamed<unknown>>

export type PageHandler<E extends PageEndpoint> = (call: InternalCall<E>) => Promise<Streamed<unknown>>

/** Functions that serve the endpoints of the contracts. */
export interface Endpoints {
  /** Serves an endpoint below /api/v1: authenticate → validate → handler → answer. */
  route<E extends PublicEndpoint>(endpoint: E, handler: Handler<E>): void
  /** Serves a feed, outside /api/v1; requires the token of a feed key. Errors have the feed's format. */
  feed<E extends FeedEndpoint>(endpoint: E, handler: FeedHandler<E>): void
  /** Serves a public page, outside /api/v1. Reads no credentials. */
  page<E extends PageEndpoint>(endpoint: E, handler: PageHandler<E>): void
  /** Serves an internal endpoint; requires the service key. */
  internal<E extends InternalEndpoint>(endpoint: E, handler: InternalHandler<E>): void
}

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

/** Returns the caller of a request's bearer token. Throws 401, or 503 if the token cannot be verified. */
const identify = async (request: FastifyRequest, verify: TokenVerifier | undefined): Promise<Caller> => {
  const token = bearerToken(request.headers.authorization)
  if (!token) throw unauthenticated()
  if (!verify) throw unavailable()
  const caller = await verify(token).catch(() => {
    throw unavailable()
  })
  if (!caller) throw unauthenticated()
  return caller
}

interface RouteOptions {
  url: string
  checksBody?: boolean | undefined
  sendError?: typeof sendTaxiiError | undefined
  /** Authorizes the request before the body is parsed: a body may be 16 MiB. */
  admit: (request: FastifyRequest) => Promise<unknown>
}

const addRoute = <E extends EndpointSpec>(
  app: FastifyInstance,
  spec: E,
  { url, checksBody = false, sendError, admit }: RouteOptions,
  answer: (call: InternalCall<E>) => Promise<AnswerOf<E>>,
): void => {
  app.route({
    method: spec.method,
    url,
    ...(spec.bodyLimit && { bodyLimit: spec.bodyLimit }),
    config: { checksBody, raw: spec.raw ?? false, takesForm: spec.takesForm ?? false },
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

/**
 * Creates the functions that serve endpoints.
 * @param verify undefined: no caller can be verified, and endpoints with users answer 503
 * @param serviceKeys keys that internal callers may present
 */
export const createEndpoints = (
  app: FastifyInstance,
  verify: TokenVerifier | undefined,
  serviceKeys: readonly string[],
): Endpoints => ({
  route(spec, handler) {
    const { access, path, checksBody } = spec
    const admit = async (request: FastifyRequest) => {
      if (access === 'anyone') return
      const caller = await identify(request, verify)
      requireAccess(caller, spec)
      request.caller = caller
    }
    addRoute(app, spec, { url: `${API_BASE}${path}`, checksBody, admit }, call =>
      handler({ ...call, user: call.request.caller as Call<typeof spec>['user'] }),
    )
  },
  feed(spec, handler) {
    const admit = async (request: FastifyRequest) => {
      const caller = await identify(request, verify)
      if (caller.scope !== 'feed') throw forbidden()
      request.caller = caller
    }
    const sendError = spec.form === 'taxii' ? sendTaxiiError : undefined
    addRoute(app, spec, { url: spec.path, sendError, admit }, async call => {
      const { id, tlp } = call.request.caller as Caller
      const answer = handler({ ...call, reader: { id, tlp: tlp ?? 'clear' } })
      return answer as Promise<AnswerOf<typeof spec>>
    })
  },
  page(spec, handler) {
    addRoute(app, spec, { url: spec.path, admit: async () => {} }, async call => {
      const answer = handler(call)
      return answer as Promise<AnswerOf<typeof spec>>
    })
  },
  internal(spec, handler) {
    const admit = async (request: FastifyRequest) => {
      // 404 hides internal routes from callers without the service key.
      const given = request.headers[SERVICE_KEY_HEADER]
      if (!serviceKeys.some(key => sameKey(given, key))) throw notFound()
    }
    addRoute(app, spec, { url: spec.path, admit }, handler)
  },
})

declare module 'fastify' {
  interface FastifyContextConfig {
    checksBody?: boolean
    /** The body is bytes. */
    raw?: boolean
    /** The body may be a form. */
    takesForm?: boolean
  }
  interface FastifyRequest {
    caller?: Caller
  }
}
