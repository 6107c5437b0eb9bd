import {
  type BodyFor,
  DETAILS,
  type EndpointSpec,
  type ParamsFor,
  type QueryFor,
  type ResponseOf,
  requestTarget,
} from '@iodine/contracts'
import { API_BASE } from '@iodine/service-kit'
import { Agent, request } from 'undici'

/**
 * What became of a request: `done` it was acknowledged, `refused` it had no effect (4xx), `unknown` nobody can tell
 * (5xx, a time-out, a connection that broke).
 */
export type Outcome<T> = { ms: number; status: number } & (
  | { kind: 'done'; body: T }
  | { kind: 'refused' | 'unknown'; detail: string }
)

export interface Input<E extends EndpointSpec> {
  token?: string | undefined
  params?: ParamsFor<E>
  query?: QueryFor<E>
  body?: BodyFor<E>
  /** How long an answer is waited for. */
  ms?: number
}

export interface Client {
  call<E extends EndpointSpec>(endpoint: E, input: Input<E>): Promise<Outcome<ResponseOf<E>>>
  /** Anything else that the gateway serves. */
  get(path: string, ms: number): Promise<Outcome<string>>
  /** Counts requests from now on, and those without the answer that they are due, until told to stop. */
  watch(): { stop(): { requests: number; dropped: string[] } }
  close(): Promise<void>
}

const WAIT_MS = 15_000

/** Talks to the product as a browser does: over connections that are kept, and without trying anything again by itself. */
export const createClient = (base: string): Client => {
  // Given up before any server would close them, so that no request meets a connection that is just being closed.
  const agent = new Agent({ connections: 128, keepAliveTimeout: 1_000, keepAliveMaxTimeout: 1_000 })

  const watches = new Set<{ requests: number; dropped: string[] }>()
  const note = (what: string, outcome: Outcome<string>): Outcome<string> => {
    // That an analysis goes on is an answer.
    const isDropped = outcome.kind === 'unknown' && !outcome.detail.includes(DETAILS.stillWorking)
    for (const watch of watches) {
      watch.requests++
      if (isDropped) watch.dropped.push(`${what}: ${outcome.status} ${outcome.detail}`)
    }
    return outcome
  }

  const attempt = async (
    method: string,
    path: string,
    { token, body, ms }: { token?: string | undefined; body?: unknown; ms: number },
  ): Promise<Outcome<string>> => {
    const from = performance.now()
    const since = () => performance.now() - from
    try {
      const answer = await request(`${base}${path}`, {
        method: method as 'GET',
        dispatcher: agent,
        signal: AbortSignal.timeout(ms),
        headers: {
          accept: body === undefined && token === undefined ? 'text/html, */*' : 'application/json',
          ...(token !== undefined && { authorization: `Bearer ${token}` }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
      const text = await answer.body.text()
      const status = answer.statusCode
      if (status < 300) return { kind: 'done', status, ms: since(), body: text }
      return { kind: status < 500 ? 'refused' : 'unknown', status, ms: since(), detail: text.slice(0, 200) }
    } catch (error) {
      return { kind: 'unknown', status: 0, ms: since(), detail: String((error as Error).message) }
    }
  }
  const send = async (...[method, path, options]: Parameters<typeof attempt>) =>
    note(`${method} ${path}`, await attempt(method, path, options))

  return {
    async call(endpoint, { token, params, query, body, ms = WAIT_MS }) {
      const path = `${API_BASE}${requestTarget(endpoint, { params, query })}`
      const outcome = await send(endpoint.method, path, { token, body, ms })
      return outcome.kind === 'done' ? { ...outcome, body: JSON.parse(outcome.body) } : outcome
    },
    get: (path, ms) => send('GET', path, { ms }),
    watch() {
      const watch = { requests: 0, dropped: [] as string[] }
      watches.add(watch)
      return {
        stop() {
          watches.delete(watch)
          return watch
        },
      }
    },
    close: () => agent.destroy(),
  }
}
