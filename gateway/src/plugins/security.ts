import type { IncomingMessage, ServerResponse } from 'node:http'
import fastifyCors from '@fastify/cors'
import { EXPOSED_HEADERS } from '@iodine/contracts'
import { notFound } from '@iodine/service-kit'
import type { FastifyInstance } from 'fastify'
import helmet from 'helmet'
import type { GatewayConfig } from '../config.js'
import type { Limits } from '../limits.js'

// `.` and `..`, plain or percent-encoded, which a server may resolve to another path (path traversal).
const DOT_SEGMENT = /(^|\/|%2f|\\|%5c)(\.|%2e){1,2}(\/|%2f|\\|%5c|\?|$)/i

/**
 * The collector's origin differs between installs. Sessions do not use cookies, so another extension's
 * requests are useless without a token.
 */
const EXTENSIONS = [/^chrome-extension:\/\/[a-p]{32}$/, /^moz-extension:\/\/[0-9a-f-]{36}$/]

/** Path to which browsers report violations of the policy. */
export const REPORTS_PATH = '/csp-reports'

/**
 * Helmet's headers, computed once as they are the same for every response.
 * @param options.trustedTypes false for a page whose library writes HTML into elements
 */
export const securityHeaders = ({ trustedTypes = true } = {}): Record<string, string> => {
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
        // Blueprint and the virtual lists position elements by style attributes.
        styleSrc: ["'self'"],
        styleSrcAttr: ["'unsafe-inline'"],
        imgSrc: ["'self'", 'data:', 'blob:'],
        fontSrc: ["'self'", 'data:'],
        connectSrc: ["'self'"],
        workerSrc: ["'self'", 'blob:'],
        // The preview of a report, in a sandboxed frame.
        frameSrc: ["'self'", 'blob:'],
        objectSrc: ["'none'"],
        baseUri: ["'none'"],
        formAction: ["'self'"],
        frameAncestors: ["'none'"],
        // The shell's default policy admits scripts of this origin (shell/src/app/trusted-types.ts).
        ...(trustedTypes && { trustedTypes: ['default'], requireTrustedTypesFor: ["'script'"] }),
        // Every browser sends these reports at once; `report-to` delays them by up to a minute and requires TLS.
        reportUri: [REPORTS_PATH],
      },
    },
    xFrameOptions: { action: 'deny' },
    referrerPolicy: { policy: 'no-referrer' },
    crossOriginResourcePolicy: { policy: 'same-origin' },
  })({} as IncomingMessage, response as unknown as ServerResponse, () => {})
  return headers
}

/** Rate-limits requests, refuses path traversal, and limits CORS to the listed origins and extensions. */
export const addSecurity = async (
  app: FastifyInstance,
  config: GatewayConfig,
  limits: Limits,
): Promise<void> => {
  app.addHook('onRequest', (request, _reply, done) => {
    // API routes count their requests themselves: the caller is known only after the session check.
    if (request.routeOptions.config.countsItself) done()
    else limits.page(request.ip).then(() => done(), done)
  })
  app.addHook('onRequest', (request, _reply, done) => {
    done(DOT_SEGMENT.test((request.raw.url ?? '').split('?', 1)[0] ?? '') ? notFound() : undefined)
  })
  await app.register(fastifyCors, {
    origin: [...config.CORS_ORIGINS, ...EXTENSIONS],
    methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
    allowedHeaders: ['Authorization', 'Content-Type', 'If-None-Match'],
    // An OPTIONS request that is no preflight passes: the plugin would refuse it with plain text.
    strictPreflight: false,
    exposedHeaders: [...EXPOSED_HEADERS],
    maxAge: 600,
  })
}

declare module 'fastify' {
  interface FastifyContextConfig {
    countsItself?: boolean
  }
}
