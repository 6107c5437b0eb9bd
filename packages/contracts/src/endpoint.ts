import type { z } from 'zod'
import type { ApiScope } from './vocabulary.js'

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE' | 'PUT'

/** Base of the public endpoints' paths. */
export const API_BASE = '/api/v1'

/**
 * Response headers that pages of other origins may read. Handlers and errors set only these and `HIDDEN_HEADERS`, so
 * that CORS exposes all of them.
 */
export const EXPOSED_HEADERS = [
  'X-Total-Count',
  'X-Total-Relation',
  'X-Next-Cursor',
  'X-Request-Id',
  'X-Iods-Unavailable',
  'X-Withheld',
  'X-Key-Id',
  'X-TAXII-Date-Added-First',
  'X-TAXII-Date-Added-Last',
  'Content-Disposition',
  'ETag',
  'Retry-After',
  'WWW-Authenticate',
] as const
/** Response headers that CORS always exposes, or that only the browser uses. */
export const HIDDEN_HEADERS = [
  'Cache-Control',
  'Connection',
  'Content-Length',
  'Content-Encoding',
  'Content-Security-Policy',
  'Link',
  'Vary',
  'X-Content-Type-Options',
  'X-Robots-Tag',
] as const
/** The name of a header that a handler or an error may set. */
export type AnswerHeader = Lowercase<(typeof EXPOSED_HEADERS | typeof HIDDEN_HEADERS)[number]>

/** Fields common to public and internal endpoints. */
export interface EndpointSpec {
  method: Method
  /** `:name` for parameters, no trailing slash. A public endpoint's path is below `API_BASE`. */
  path: string
  summary: string
  params?: z.ZodType
  query?: z.ZodType
  body?: z.ZodType
  response: z.ZodType
  /** Success status, default 200. */
  status?: number
  /** Success status if the document to create exists. */
  knownStatus?: number
  /** Media type of an answer that is a file: `response` is unknown then. Default: JSON. */
  produces?: string
  /** Answers carry an ETag; a request whose If-None-Match names it is answered 304. */
  conditional?: true
  /** Maximum body size in bytes, default 1 MiB. */
  bodyLimit?: number
  /** The body is a form, as mail programs send it (RFC 8058), and is ignored. */
  takesForm?: true
  /** The body is bytes (application/octet-stream) instead of JSON: `body` is a Uint8Array. */
  raw?: true
}

/**
 * Required authentication. `anyone`: none; `user`: a full session; `collector`: a full session or the
 * extension's token. Finer rules (admin, creator) are policies of the owning service.
 */
export type Access = 'anyone' | 'user' | 'collector'

/** An operation of the API, which the gateway routes. */
export interface PublicEndpoint extends EndpointSpec {
  access: Access
  /** API tokens with one of these scopes may call it. Without `scopes`, no API token may. */
  scopes?: readonly [ApiScope, ...ApiScope[]]
  /**
   * The handler checks the body's strings and depth itself, per item, so that an invalid item does not fail
   * the others.
   */
  checksBody?: true
  /** Long-running: the answer waits for other work, so such requests use a separate connection pool. */
  waits?: true
}

/** A call between services: never routed by the gateway, and refused without the service key. */
export interface InternalEndpoint extends EndpointSpec {
  path: `/internal/${string}`
  access?: never
}

/**
 * An endpoint outside `API_BASE` that other systems pull by a feed key. Answers and errors have the format of its
 * standard.
 */
export interface FeedEndpoint extends EndpointSpec {
  method: 'GET'
  /** `taxii`: TAXII 2.1, also its errors; `misp`: a feed of MISP, a folder of files; `atom`: RFC 4287. */
  form: 'taxii' | 'misp' | 'atom'
  access?: never
}

/** A page or file outside `API_BASE` that anybody reads without a session. Errors are pages, too. */
export interface PageEndpoint extends EndpointSpec {
  method: 'GET'
  form: 'page'
  access?: never
}

/** Parses `METHOD /path` to an endpoint's `method` and `path`. */
export type Routed<R extends string> = R extends `${infer M extends Method} ${infer P}`
  ? { method: M; path: P }
  : never
export const routed = <R extends string>(route: R): Routed<R> => {
  const [method, path] = route.split(' ')
  return { method, path } as Routed<R>
}

/**
 * Defines a public endpoint: the server's route, the client's types and the API reference are derived from
 * it.
 */
export const endpoint = <
  A extends Access,
  R extends `${Method} /${string}`,
  const S extends Omit<PublicEndpoint, 'method' | 'path' | 'access'>,
>(
  access: A,
  route: R,
  spec: S,
) => ({ ...spec, ...routed(route), access })
/** Defines an internal endpoint: the server's route and the caller's types are derived from it. */
export const internalEndpoint = <
  R extends `${Method} ${InternalEndpoint['path']}`,
  const S extends Omit<InternalEndpoint, 'method' | 'path'>,
>(
  route: R,
  spec: S,
) => ({ ...spec, ...routed(route) })

type Out<T> = T extends z.ZodType ? z.output<T> : undefined
type In<T> = T extends z.ZodType ? z.input<T> : undefined

type Bytes<E extends EndpointSpec, T> = E extends { raw: true } ? Uint8Array<ArrayBuffer> : T

/** Types that a handler receives, after validation. */
export type ParamsOf<E extends EndpointSpec> = Out<E['params']>
export type QueryOf<E extends EndpointSpec> = Out<E['query']>
export type BodyOf<E extends EndpointSpec> = Bytes<E, Out<E['body']>>
/** Types that a client sends. */
export type ParamsFor<E extends EndpointSpec> = In<E['params']>
export type QueryFor<E extends EndpointSpec> = In<E['query']>
export type BodyFor<E extends EndpointSpec> = Bytes<E, In<E['body']>>
/** Type of the response for handler and client: no response schema transforms, so both equal the JSON. */
export type ResponseOf<E extends EndpointSpec> = z.output<E['response']>

/** Returns the endpoint's path with its parameters filled in. */
export const pathOf = ({ path }: Pick<EndpointSpec, 'path'>, params: unknown): string =>
  path.replace(/:(\w+)/g, (_, name: string) =>
    encodeURIComponent(String((params as Record<string, unknown> | undefined)?.[name])),
  )

/**
 * Returns an expression that matches the paths of an endpoint below `base`, one capture group per parameter; a trailing
 * slash is optional.
 */
export const pathPattern = ({ path }: Pick<EndpointSpec, 'path'>, base = ''): RegExp =>
  new RegExp(`^${base}${path.replace(/:\w+/g, '([^/]+)')}/?$`)

/**
 * Returns the request target (RFC 9112, 3.2): `pathOf` with the query. A list repeats its name; null and undefined are
 * omitted.
 */
export const requestTarget = (
  spec: Pick<EndpointSpec, 'path'>,
  { params, query }: { params?: unknown; query?: unknown },
): string => {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query ?? {}))
    for (const each of [value].flat()) if (each != null) search.append(name, String(each))
  return search.size > 0 ? `${pathOf(spec, params)}?${search}` : pathOf(spec, params)
}
