import {
  API_BASE,
  ApiError,
  type Client as ContractClient,
  createClient,
  DETAILS,
  type EndpointSpec,
  type InputArguments,
  type ResponseOf,
} from '@iodine/contracts'
import { Agent, fetch, type RequestInit } from 'undici'

/**
 * What became of a request: `done` it was acknowledged, `refused` it had no effect (4xx), `unknown` its effect is not
 * known (5xx, a time-out, a connection that broke). `status` is 0 where no answer came.
 */
export type Outcome<T> = { ms: number } & (
  | { kind: 'done'; body: T }
  | { kind: 'refused' | 'unknown'; status: number; detail: string }
)

/** An answer's body, as a call of the contracts' client resolves to it. */
export type Ask = ContractClient['call']

export interface Client {
  /** Calls an endpoint of the contract; never rejects. */
  call<E extends EndpointSpec>(endpoint: E, ...input: InputArguments<E>): Promise<Outcome<ResponseOf<E>>>
  /** Anything else that the gateway serves. */
  get(path: string, ms: number): Promise<Outcome<string>>
  /** The same client with a session, and with the milliseconds that it waits for an answer where a call doesn't say. */
  as(token: string, ms?: number): Client
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

  const send = (path: string, request: RequestInit) =>
    fetch(`${base}${path}`, { ...request, dispatcher: agent })

  /** Waits for an answer's body, and says what became of the request. */
  const settle = async <T>(what: string, asked: Promise<T>): Promise<Outcome<T>> => {
    const from = performance.now()
    const since = () => performance.now() - from
    const outcome = await asked.then(
      (body): Outcome<T> => ({ kind: 'done', ms: since(), body }),
      (error): Outcome<T> => {
        const { status = 0, detail = null } = error instanceof ApiError ? error : {}
        const kind = status >= 400 && status < 500 ? 'refused' : 'unknown'
        return { kind, status, ms: since(), detail: String(detail ?? error.cause ?? error).slice(0, 200) }
      },
    )
    for (const watch of watches) {
      watch.requests++
      // That an analysis goes on is an answer.
      if (outcome.kind === 'unknown' && !outcome.detail.includes(DETAILS.stillWorking))
        watch.dropped.push(`${what}: ${outcome.status} ${outcome.detail}`)
    }
    return outcome
  }

  const clientOf = (token?: string, ms = WAIT_MS): Client => {
    const { call } = createClient((target, request) => send(API_BASE + target, request), {
      token: () => token,
      ms,
    })
    return {
      call: (endpoint, ...input) => settle(`${endpoint.method} ${endpoint.path}`, call(endpoint, ...input)),
      get(path, ms) {
        const asked = send(path, {
          headers: { accept: 'text/html, */*' },
          signal: AbortSignal.timeout(ms),
        }).then(async answer => {
          const text = await answer.text()
          if (answer.ok) return text
          throw new ApiError(answer.status, text)
        })
        return settle(`GET ${path}`, asked)
      },
      as: clientOf,
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
  return clientOf()
}
