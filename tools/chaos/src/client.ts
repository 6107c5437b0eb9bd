import {
  API_BASE,
  ApiError,
  createClient,
  DETAILS,
  type EndpointSpec,
  type InputArguments,
  type ResponseOf,
  type Input as Sent,
  type WireRequest,
} from '@iodine/contracts'
import { Agent, fetch, type Response } from 'undici'

/**
 * What became of a request: `done` it was acknowledged, `refused` it had no effect (4xx), `unknown` nobody can tell
 * (5xx, a time-out, a connection that broke).
 */
export type Outcome<T> = { ms: number; status: number } & (
  | { kind: 'done'; body: T }
  | { kind: 'refused' | 'unknown'; detail: string }
)

export type Input<E extends EndpointSpec> = Sent<E> & { token?: string | undefined }

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
export const connect = (base: string): Client => {
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

  const send = (path: string, request: WireRequest) =>
    fetch(`${base}${path}`, { ...request, dispatcher: agent })
  /** Reads the answer, and says what became of the request. */
  const settle = async (what: string, asked: Promise<Response>): Promise<Outcome<string>> => {
    const from = performance.now()
    const since = () => performance.now() - from
    const outcome = await asked
      .then(async (answer): Promise<Outcome<string>> => {
        const { status } = answer
        const body = await answer.text()
        if (!answer.ok) throw new ApiError(status, body)
        return { kind: 'done', status, ms: since(), body }
      })
      .catch((error): Outcome<string> => {
        const { status = 0, detail = null } = error instanceof ApiError ? error : {}
        const kind = status >= 400 && status < 500 ? 'refused' : 'unknown'
        return { kind, status, ms: since(), detail: String(detail ?? error.cause ?? error).slice(0, 200) }
      })
    return note(what, outcome)
  }

  return {
    async call(endpoint, { token, ...input }) {
      const client = createClient((target, request) => send(API_BASE + target, request), {
        token: () => token,
        ms: WAIT_MS,
      })
      const what = `${endpoint.method} ${endpoint.path}`
      const asked = client.open(endpoint, ...([input] as unknown as InputArguments<typeof endpoint>))
      const outcome = await settle(what, asked)
      return outcome.kind === 'done' ? { ...outcome, body: JSON.parse(outcome.body) } : outcome
    },
    get: (path, ms) =>
      settle(
        `GET ${path}`,
        send(path, {
          method: 'GET',
          headers: { accept: 'text/html, */*' },
          signal: AbortSignal.timeout(ms),
        }),
      ),
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
