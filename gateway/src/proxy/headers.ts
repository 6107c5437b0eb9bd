import type { FastifyRequest } from 'fastify'
import { isApiToken } from '../api-tokens.js'

// Hop-by-hop headers (RFC 9110, 7.6.1), and headers that only this gateway may set.
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
/** Headers of a reader that public pages depend on: no cookie, credential or range. */
const OF_PAGES = ['accept', 'accept-encoding', 'accept-language', 'if-none-match', 'user-agent'] as const
/** Values of `Connection` that name no header. */
const NO_NAMES = /^\s*(keep-alive|close)?\s*$/i

const pageHeaders = ({ headers }: FastifyRequest): Record<string, string | string[]> =>
  Object.fromEntries(
    OF_PAGES.flatMap(name => {
      const value = headers[name]
      return value === undefined ? [] : [[name, value]]
    }),
  )

const passedHeaders = (request: FastifyRequest): Record<string, string | string[]> => {
  const { connection = '' } = request.headers
  const named = NO_NAMES.test(connection) ? [] : connection.toLowerCase().split(/[\s,]+/)
  const headers: Record<string, string | string[]> = {}
  for (const name in request.headers) {
    const value = request.headers[name]
    if (
      value !== undefined &&
      !NOT_FORWARDED.has(name) &&
      !name.startsWith('x-forwarded-') &&
      !named.includes(name)
    )
      headers[name] = value
  }
  return headers
}

/** Returns the headers that the service receives. */
export const forwardedHeaders = (
  request: FastifyRequest,
  publicUrl: URL | undefined,
): Record<string, string | string[]> => {
  const headers = request.isPage ? pageHeaders(request) : passedHeaders(request)
  headers['x-request-id'] = request.id
  headers['x-forwarded-for'] = request.ip
  // Services know neither feed keys nor API tokens: auth issues a token for them.
  if (request.serviceToken !== undefined) headers.authorization = `Bearer ${request.serviceToken}`
  else if (isApiToken(request.headers.authorization)) delete headers.authorization
  if (request.isFeed || request.isPage) {
    // Feeds and pages contain their own URLs.
    headers['x-forwarded-host'] = publicUrl?.host ?? request.host
    headers['x-forwarded-proto'] = publicUrl?.protocol.slice(0, -1) ?? request.protocol
  }
  return headers
}
/** Headers of a response that concern only its connection. */
export const HOP_BY_HOP = new Set(['connection', 'keep-alive', 'transfer-encoding', 'trailer', 'upgrade'])
