import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { pathPattern } from '@iodine/contracts'
import { onTestFinished } from 'vitest'
import type { Route } from '../src/index'

/** A response, as JSON unless its body is bytes; `null` closes the connection without one. */
export type Answer = [status: number, body?: unknown, headers?: Record<string, string>] | null

export interface Call {
  /** The route in the contract's notation: 'GET /campaigns/:id'. */
  route: string
  params: Record<string, string>
  search: URLSearchParams
  /** The bearer token of the Authorization header. */
  token: string | null
  body: unknown
}

type Handler = (call: Call) => Answer | Promise<Answer>

/** The API's responses, by the contract's routes. */
export type Routes = { [R in Route]?: Answer | Handler }

const misses: string[] = []

/**
 * Starts an HTTP server that serves `routes` below `prefix`, and stops it when the test ends. A request
 * without a matching route gets a 501 and fails the test. `calls` holds the matched requests in order.
 */
export async function startApi(routes: Routes, prefix = '') {
  const calls: Call[] = []
  const table = Object.entries(routes)
    .map(([route, handler]) => ({ route, handler, ...patternOf(route) }))
    .sort((a, b) => a.names.length - b.names.length)
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += chunk
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://test')
    const asked = `${request.method} ${pathname.startsWith(prefix) ? pathname.slice(prefix.length) : pathname}`
    const found = table.find(({ pattern }) => pattern.test(asked))
    let answer: Answer = [501, { detail: `No route of this test answers ${asked}` }]
    if (found) {
      const values = found.pattern.exec(asked)?.slice(1) ?? []
      const call: Call = {
        route: found.route,
        params: Object.fromEntries(
          found.names.map((name, index) => [name, decodeURIComponent(values[index] ?? '')]),
        ),
        search: searchParams,
        token: /^Bearer +(.+)$/i.exec(request.headers.authorization ?? '')?.[1] ?? null,
        body: text ? (JSON.parse(text) as unknown) : undefined,
      }
      calls.push(call)
      answer = typeof found.handler === 'function' ? await found.handler(call) : found.handler
    } else {
      misses.push(`${asked} (routes: ${Object.keys(routes).join(', ')})`)
    }
    if (!answer) return void request.socket.destroy()
    const [status, body, headers] = answer
    const isBytes = body instanceof Uint8Array
    const type = isBytes ? 'application/octet-stream' : 'application/json'
    response.writeHead(status, { 'content-type': type, connection: 'close', ...headers })
    response.end(isBytes ? body : JSON.stringify(body ?? null))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
    failOnMisses()
  })
  return { calls, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

/** Converts 'GET /campaigns/:id' to a pattern over method and path, with the names of its parameters. */
function patternOf(route: string) {
  const names = Array.from(route.matchAll(/:(\w+)/g), ([, name]) => name as string)
  return { names, pattern: pathPattern({ path: route }) }
}

/** Throws if a request since the last call matched no route. Runs after each test. */
export function failOnMisses(): void {
  const unanswered = misses.splice(0)
  if (unanswered.length > 0) throw new Error(`No route of this test matches ${unanswered.join('; ')}`)
}
