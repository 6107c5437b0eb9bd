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

/**
 * A structured logger on standard output or another destination. Each line names the request that it belongs to, and its
 * trace where there is one; fields that could hold a secret are removed wherever they stand.
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
        // Driver and provider messages may quote data: class, code and place are enough to find the fault.
        err: (error: unknown) =>
          error instanceof Error
            ? {
                type: error.name,
                // Not `code`, which is a secret's name elsewhere, and removed.
                error_code: (error as { code?: unknown }).code,
                at: error.stack
                  ?.split('\n')
                  .slice(1, 6)
                  .map(line => line.trim()),
              }
            : { type: typeof error },
      },
    },
    destination,
  )
