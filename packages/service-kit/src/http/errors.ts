import { type AnswerHeader, DETAILS } from '@iodine/contracts'

/** An error answer: its status and detail are sent to the client as they are. */
export class HttpError extends Error {
  override name = 'HttpError'
  readonly status: number
  readonly detail: string | string[]
  readonly headers: Partial<Record<AnswerHeader, string>>

  /** @param cause the underlying error, for the log only */
  constructor(
    status: number,
    detail: string | string[],
    headers: Partial<Record<AnswerHeader, string>> = {},
    cause?: unknown,
  ) {
    super(Array.isArray(detail) ? detail.join(', ') : detail, { cause })
    this.status = status
    this.detail = detail
    this.headers = headers
  }
}

export const badRequest = (detail: string | string[] = DETAILS.badRequest) => new HttpError(400, detail)
/**
 * No live session or token, with the challenge that a 401 needs (RFC 9110, 11.6.1).
 * @param challenge that of bearer tokens (RFC 6750) by default
 */
export const unauthenticated = (challenge = 'Bearer') =>
  new HttpError(401, DETAILS.unauthenticated, { 'www-authenticate': challenge })
export const forbidden = (detail: string = DETAILS.forbidden) => new HttpError(403, detail)
export const notFound = (detail: string = DETAILS.notFound) => new HttpError(404, detail)
export const isNotFound = (error: unknown): boolean => error instanceof HttpError && error.status === 404
/** Resolves to the result of a call; to undefined if it is answered by 404. */
export const ifFound = <T>(call: Promise<T>): Promise<T | undefined> =>
  call.catch(error => {
    if (isNotFound(error)) return undefined
    throw error
  })
export const conflict = (detail: string) => new HttpError(409, detail)
/** Input that fails validation: one message a fault. */
export const invalid = (faults: string[]) => new HttpError(422, faults)
export const tooManyRequests = (seconds: number) =>
  new HttpError(429, DETAILS.tooManyRequests, { 'retry-after': String(Math.max(1, Math.ceil(seconds))) })
/** Too many concurrent requests of one user. */
export const busy = () => new HttpError(429, DETAILS.busy, { 'retry-after': '1' })
export const unavailable = (detail: string = DETAILS.unavailable, cause?: unknown) =>
  new HttpError(503, detail, { 'retry-after': '5' }, cause)
export const timedOut = (detail: string = DETAILS.timeout) => new HttpError(504, detail)

/** Transient 4xx statuses: a route or key that is being deployed, a timeout, a rate limit. */
const TRANSIENT = new Set([404, 408, 425, 429])

/** Returns true for a permanent error: a 4xx that a retry would receive again. */
export const isPermanentError = (error: unknown): error is HttpError =>
  error instanceof HttpError && error.status >= 400 && error.status < 500 && !TRANSIENT.has(error.status)

/**
 * Throws the first transient error of several calls, else the first permanent one: a transient error makes a retry
 * worthwhile.
 */
export const throwFirst = (results: readonly PromiseSettledResult<unknown>[]): void => {
  const errors = results.flatMap(each => (each.status === 'rejected' ? [each.reason] : []))
  if (errors.length > 0) throw errors.find(error => !isPermanentError(error)) ?? errors[0]
}

// A database, queue or peer that is down or unreachable, by error name or code.
const DEPENDENCY_ERRORS =
  /^(Mongo(ServerSelection|Network|NetworkTimeout|NotConnected|TopologyClosed|PoolClosed|PoolCleared|PoolClearedOnNetwork|OperationTimeout)Error|MongooseServerSelectionError|MongoClientClosedError|MaxRetriesPerRequestError|AbortedReplyError)$/
const SOCKET_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'UND_ERR_SOCKET',
  'UND_ERR_CONNECT_TIMEOUT',
])

/** Returns true if the error means that a dependency (MongoDB, Redis, another service) is down. */
export const isDependencyDown = (error: unknown): boolean => {
  if (!(error instanceof Error)) return false
  if (DEPENDENCY_ERRORS.test(error.name)) return true
  if (
    /^(Connection is closed|Stream isn't writeable|Connection is in subscriber mode|Command timed out)/.test(
      error.message,
    )
  )
    return true
  const code = (error as { code?: unknown }).code
  return (
    (typeof code === 'string' && SOCKET_CODES.has(code)) ||
    (error.cause !== undefined && isDependencyDown(error.cause))
  )
}
