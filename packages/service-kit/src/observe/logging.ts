import { type DestinationStream, type Logger, pino } from 'pino'
import { requestIdOf, traceIdOf } from './work-context.js'

export type { Logger }

const SECRETS = [
  'authorization',
  'token',
  'access_token',
  'api_key',
  'apiKey',
  'code',
  'invite_code',
  'password',
  'cookie',
  'sealed',
  'link',
]

/** @param depth maximum number of causes included */
const describeError = (error: unknown, depth = 4): object => {
  if (!(error instanceof Error)) return { type: typeof error }
  // Not `code`: that name is redacted as a secret.
  const { code: error_code, call, status } = error as { code?: unknown; call?: unknown; status?: unknown }
  return {
    type: error.name,
    error_code,
    call,
    status,
    at: error.stack
      ?.split('\n')
      .slice(1, 6)
      .map(line => line.trim()),
    ...(error.cause !== undefined && depth > 0 && { cause: describeError(error.cause, depth - 1) }),
  }
}

/**
 * Creates a structured logger, to standard output by default. Each line carries the request id, and the trace id if
 * any; fields that may hold a secret are redacted at any depth.
 */
export const createLogger = (name: string, level: string, destination?: DestinationStream): Logger =>
  pino(
    {
      name,
      level,
      base: { service: name },
      mixin() {
        return { request_id: requestIdOf(), trace_id: traceIdOf() }
      },
      redact: { paths: SECRETS.flatMap(key => [key, `*.${key}`, `*.*.${key}`]), remove: true },
      serializers: {
        // Driver and provider messages may quote data: class, code and stack location suffice for debugging.
        err: (error: unknown) => describeError(error),
      },
    },
    destination,
  )
