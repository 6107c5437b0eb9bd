import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { certifyServer } from './certificates.js'

/** Host names of a test's feeds: one for every resolver, and one for a scripted resolver. */
export const FEED_HOST = 'localhost'
export const PUBLIC_FEED_HOST = 'feed.example'

/** Handler of requests to a feed; its answers may be malformed. */
export type FeedScript = (url: URL, request: IncomingMessage, response: ServerResponse) => unknown

export interface TaxiiObject {
  /** The serialized object. */
  raw: string
  /** Time of its addition, as in TAXII: ascending. */
  added: string
}

/**
 * Creates the script of a TAXII 2.1 collection (OASIS, 5.4): objects strictly later than `added_after`, by pages with
 * `next`.
 * @param objects in the order of their times; may grow
 */
export const taxiiCollection =
  (objects: readonly TaxiiObject[], { page = 2 } = {}): FeedScript =>
  (url, _request, response) => {
    const after = url.searchParams.get('added_after') ?? ''
    const later = objects.filter(({ added }) => added > after)
    const from = Number(url.searchParams.get('next') ?? 0)
    const given = later.slice(from, from + page)
    const more = from + page < later.length
    response.setHeader('content-type', 'application/taxii+json;version=2.1')
    if (given.length > 0) {
      response.setHeader('x-taxii-date-added-first', given[0]?.added ?? '')
      response.setHeader('x-taxii-date-added-last', given.at(-1)?.added ?? '')
    }
    if (given.length === 0) return response.end('{}')
    return response.end(
      `{"more":${more},${more ? `"next":"${from + page}",` : ''}"objects":[${given.map(({ raw }) => raw).join(', ')}]}`,
    )
  }

/** Starts an HTTPS server that simulates the feed of another tool by a script. */
export const startFeed = async (script: FeedScript) => {
  const { key, cert, ca } = await certifyServer([FEED_HOST, PUBLIC_FEED_HOST])
  const state = { script }
  /** Received request targets, in order. */
  const asked: string[] = []
  const headers: IncomingMessage['headers'][] = []
  const server = createServer({ key, cert }, (request, response) => {
    asked.push(request.url ?? '')
    headers.push(request.headers)
    response.on('error', () => {})
    state.script(new URL(request.url ?? '', `https://${FEED_HOST}`), request, response)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    port,
    url: `https://${FEED_HOST}:${port}/`,
    /** For `SUBSCRIPTIONS_ALLOW`. */
    host: `${FEED_HOST}:${port}`,
    /** The certificate's issuer, in PEM: for `SUBSCRIPTIONS_CA`. */
    ca,
    asked,
    headers,
    answer: (changed: FeedScript) => {
      state.script = changed
    },
    stop: () =>
      new Promise<void>(resolve => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}
export type Feed = Awaited<ReturnType<typeof startFeed>>
