import type { IncomingMessage, ServerResponse } from 'node:http'
import fastifyCors from '@fastify/cors'
import { notFound } from '@iodine/service-kit'
import type { FastifyInstance } from 'fastify'
import helmet from 'helmet'
import type { GatewayConfig } from '../config.js'
import type { Limits } from '../limits.js'

// `.` and `..`, plain or encoded, that some server on the way may resolve to another path.
const DOT_SEGMENT = /(^|\/|%2f|\\|%5c)(\.|%2e){1,2}(\/|%2f|\\|%5c|\?|$)/i

/** The collector's addresses differ from install to install. No session rides on cookies: what another extension may send is worth nothing without a token. */
const EXTENSIONS = [/^chrome-extension:\/\/[a-p]{32}$/, /^moz-extension:\/\/[0-9a-f-]{36}$/]

/** Helmet's headers, which are the same for every answer: worked out once. */
export const securityHeaders = (): Record<string, string> => {
  const headers: Record<string, string> = {}
  const response = {
    setHeader: (name: string, value: string) => {
      headers[name] = value
    },
    removeHeader: () => {},
  }
  helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'self'"],
        scriptSrc: ["'self'"],
        // Blueprint and the virtual lists place elements by style attributes.
        styleSrc: ["'self'"],
        styleSrcAttr: ["'unsafe-inline'"],
        imgSrc: ["'self'", 'data:', 'blob:'],
        fontSrc: ["'self'", 'data:'],
        connectSrc: ["'self'"],
        workerSrc: ["'self'", 'blob:'],
        objectSrc: ["'none'"],
        baseUri: ["'none'"],
        formAction: ["'self'"],
        frameAncestors: ["'none'"],
      },
    },
    xFrameOptions: { action: 'deny' },
    referrerPolicy: { policy: 'no-referrer' },
    crossOriginResourcePolicy: { policy: 'same-origin' },
  })({} as IncomingMessage, response as unknown as ServerResponse, () => {})
  return headers
}

/** Counts what is asked, refuses paths that mean another one, and opens the API to the listed origins and to extensions alone. */
export const addSecurity = async (
  app: FastifyInstance,
  config: GatewayConfig,
  limits: Limits,
): Promise<void> => {
  app.addHook('onRequest', (request, _reply, done) => {
    // Who asks the API is known later: its routes count for themselves.
    if (request.routeOptions.config.countsItself) done()
    else limits.page(request.ip).then(() => done(), done)
  })
  app.addHook('onRequest', (request, _reply, done) => {
    done(DOT_SEGMENT.test((request.raw.url ?? '').split('?', 1)[0] ?? '') ? notFound() : undefined)
  })
  await app.register(fastifyCors, {
    origin: [...config.CORS_ORIGINS, ...EXTENSIONS],
    methods: ['GET', 'HEAD', 'POST', 'PATCH', 'DELETE'],
    allowedHeaders: ['Authorization', 'Content-Type'],
    // An OPTIONS that is no preflight is nothing to refuse, least of all as plain text.
    strictPreflight: false,
    exposedHeaders: ['X-Total-Count', 'X-Next-Cursor', 'X-Request-Id', 'X-Iods-Unavailable', 'Retry-After'],
    maxAge: 600,
  })
}

declare module 'fastify' {
  interface FastifyContextConfig {
    countsItself?: boolean
  }
}
