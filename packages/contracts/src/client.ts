import {
  type BodyFor,
  type EndpointSpec,
  type ParamsFor,
  type QueryFor,
  type ResponseOf,
  requestTarget,
} from './endpoint.js'
import { readRetryAfter } from './retry-after.js'

/** A request: headers in lower case, body as JSON or bytes. */
export interface WireRequest {
  method: string
  headers: Record<string, string>
  body?: string | Uint8Array<ArrayBuffer>
  signal?: AbortSignal
}

/** A response: the subset of fetch's `Response` that the client reads. */
export interface WireAnswer {
  status: number
  headers: { get(name: string): string | null }
  text(): Promise<string>
}

/**
 * Sends one request; rejects if no answer arrives. `target` is the path below the API's base with its query.
 */
export type Transport<A extends WireAnswer = WireAnswer> = (
  target: string,
  request: WireRequest,
) => Promise<A>

/** A failed call: `status` 0 means that no answer arrived; `detail` is the server's, or null. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  /** The endpoint's method and path. */
  readonly call: string
  readonly status: number
  readonly detail: string | string[] | null
  /** Milliseconds from Retry-After; 0 without one. */
  readonly retryAfterMs: number

  constructor(
    status: number,
    detail: string | string[] | null,
    {
      call = 'API call',
      retryAfterMs = 0,
      cause,
    }: { call?: string; retryAfterMs?: number; cause?: unknown } = {},
  ) {
    super([`${call}: ${status}`, detail ?? (status === 0 ? 'no answer' : [])].flat().join(' '), { cause })
    this.call = call
    this.status = status
    this.detail = detail
    this.retryAfterMs = retryAfterMs
  }
}

/** Returns true for an `ApiError` of any bundle: host and remotes have separate classes, so `instanceof` fails. */
export const isApiError = (error: unknown): error is ApiError =>
  error instanceof Error && error.name === 'ApiError'

/** Returns whether `error` is an API response with this status. */
export const hasStatus = (error: unknown, status: number): boolean =>
  isApiError(error) && error.status === status

/** Returns whether the session has ended. The host handles this. */
export const isUnauthorized = (error: unknown): boolean => hasStatus(error, 401)

/** Query values are sent as text, so a number is accepted if the contract requires text. */
type QueryValues<T> = { [K in keyof T]: T[K] | (string extends Extract<T[K], string> ? number : never) }

type Field<Name extends string, T> = [T] extends [undefined]
  ? { [K in Name]?: undefined }
  : undefined extends T
    ? { [K in Name]?: T }
    : Record<never, never> extends T
      ? { [K in Name]?: T }
      : { [K in Name]: T }

export interface CallOptions {
  signal?: AbortSignal
  /** Timeout of the whole answer in milliseconds. */
  ms?: number
}

/**
 * Input of a call: `params` (path), `query`, `body`, each typed by the contract and required where the
 * contract requires it.
 */
export type Input<E extends EndpointSpec> = Field<'params', ParamsFor<E>> &
  Field<'query', QueryValues<QueryFor<E>>> &
  Field<'body', BodyFor<E>> &
  CallOptions

/** `Input`, optional if no part is required. */
export type InputArguments<E extends EndpointSpec> =
  Record<never, never> extends Input<E> ? [input?: Input<E>] : [input: Input<E>]

/** One page of a list: all but the items comes from the answer's headers. */
export interface Page<T> {
  items: T
  total: number | null
  /** The total is a lower bound. */
  exact?: false
  /** Null on the last page. */
  nextCursor: string | null
}

/**
 * Calls the contracts' endpoints. Every failure rejects with an `ApiError`, except an abort by the caller's
 * signal.
 */
export interface Client<A extends WireAnswer = WireAnswer> {
  call<E extends EndpointSpec>(endpoint: E, ...input: InputArguments<E>): Promise<ResponseOf<E>>
  /** Like `call`, for a list requested with `limit` and `cursor`. */
  page<E extends EndpointSpec>(endpoint: E, ...input: InputArguments<E>): Promise<Page<ResponseOf<E>>>
  /** Like `call`, for an answer too large for memory: its body is not read yet. */
  open<E extends EndpointSpec>(endpoint: E, ...input: InputArguments<E>): Promise<A>
}

export interface ClientOptions {
  /** Returns the session token, if any; called for each request. */
  token?: () => string | null | undefined
  /** Called on each 401 with the refused token; the call rejects as well. */
  onUnauthorized?: (refusedToken: string | null) => void
  /** Checks each answer read by `call` and `page`; the call rejects with its error. */
  check?: (endpoint: EndpointSpec, status: number, body: unknown) => void
  /** Default timeout in milliseconds. */
  ms?: number
  /** Makes the signal of a timeout; `AbortSignal.timeout` by default. */
  timeout?: (ms: number) => AbortSignal
}

interface LooseInput extends CallOptions {
  params?: unknown
  query?: unknown
  body?: unknown
}

/**
 * Creates a client of the contracts over a transport: `fetch` in browsers and scripts, kept-alive connections between
 * services. It uses only an endpoint's method and path, so that no schema is bundled for browsers.
 */
export const createClient = <A extends WireAnswer>(
  transport: Transport<A>,
  {
    token: getToken,
    onUnauthorized,
    check,
    ms: usualMs,
    timeout = ms => AbortSignal.timeout(ms),
  }: ClientOptions = {},
): Client<A> => {
  const send = async (spec: EndpointSpec, { params, query, body, signal, ms = usualMs }: LooseInput) => {
    const token = getToken?.() ?? null
    const signals = [signal ?? [], ms === undefined ? [] : timeout(ms)].flat()
    // Determined by the body: browsers know only an endpoint's method and path.
    const isBytes = ArrayBuffer.isView(body)
    const answer = await transport(requestTarget(spec, { params, query }), {
      method: spec.method,
      headers: {
        accept: 'application/json',
        ...(token !== null && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { 'content-type': isBytes ? BYTES_TYPE : 'application/json' }),
      },
      ...(body !== undefined && {
        body: isBytes ? (body as Uint8Array<ArrayBuffer>) : JSON.stringify(body),
      }),
      ...(signals[0] && { signal: signals[1] ? AbortSignal.any(signals) : signals[0] }),
    }).catch(cause => {
      throw signal?.aborted ? cause : new ApiError(0, null, { call: callOf(spec), cause })
    })
    if (answer.status === 401) onUnauthorized?.(token)
    return answer
  }
  const refusal = (spec: EndpointSpec, { status, headers }: A, body: unknown, cause?: unknown) =>
    new ApiError(status, readDetail(body), {
      call: callOf(spec),
      retryAfterMs: (readRetryAfter(name => headers.get(name)) ?? 0) * 1_000,
      cause,
    })
  const read = async (spec: EndpointSpec, input: LooseInput = {}) => {
    const answer = await send(spec, input)
    const isDone = isSuccess(answer)
    let failure: unknown
    const body = await readJson(answer.text()).catch(cause => {
      if (input.signal?.aborted) throw cause
      failure = cause
    })
    if (failure === undefined) check?.(spec, answer.status, body)
    if (!isDone || failure !== undefined) throw refusal(spec, answer, body, failure)
    return { body: body as never, headers: answer.headers }
  }
  return {
    call: async (spec, ...[input]) => (await read(spec, input)).body,
    async page(spec, ...[input]) {
      const { body, headers } = await read(spec, input)
      const total = headers.get('x-total-count')
      return {
        items: body,
        total: total === null ? null : Number(total),
        ...(headers.get('x-total-relation') === 'gte' && { exact: false }),
        nextCursor: headers.get('x-next-cursor'),
      }
    },
    async open(spec, ...[input]) {
      const answer = await send(spec, input ?? {})
      if (isSuccess(answer)) return answer
      throw refusal(spec, answer, await readJson(answer.text()).catch(() => undefined))
    },
  }
}

/** Media type of a body of bytes. */
const BYTES_TYPE = 'application/octet-stream'
const callOf = ({ method, path }: EndpointSpec) => `${method} ${path}`
const readJson = (text: Promise<string>): Promise<unknown> => text.then(JSON.parse)
const isSuccess = ({ status }: WireAnswer) => status >= 200 && status < 300

/** Returns the `detail` of an error's body; null without one. */
const readDetail = (body: unknown): string | string[] | null => {
  const detail = typeof body === 'object' && body !== null && 'detail' in body ? body.detail : null
  if (typeof detail === 'string') return detail
  return Array.isArray(detail) && detail.every(item => typeof item === 'string') ? detail : null
}
