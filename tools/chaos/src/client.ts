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
 * The outcome of a request: `done`: acknowledged; `refused`: no effect (4xx); `unknown`: 5xx, timeout or broken
 * connection. `status` is 0 without a response.
 */
export type Outcome<T> = { ms: number } & (
  | { kind: 'done'; body: T }
  | { kind: 'refused' | 'unknown'; status: number; detail: string }
)

/** Resolves to a response's body, like a call of the contracts' client. */
export type Ask = ContractClient['call']

export interface Client {
  /** Calls an endpoint of the contract; never rejects. */
  call<E extends EndpointSpec>(endpoint: E, ...input: InputArguments<E>): Promise<Outcome<ResponseOf<E>>>
  /** Gets any other path of the gateway. */
  get(path: string, ms: number): Promise<Outcome<string>>
  /** Returns the client with a session, and with a default timeout in milliseconds. */
  as(token: string, ms?: number): Client
  /** Counts requests, and those without a proper response, until stopped. */
  watch(): { stop(): { requests: number; dropped: string[] } }
  close(): Promise<void>
}

const WAIT_MS = 15_000

/**
 * Creates a client that behaves like a browser: keep-alive connections, no retries.
 * @param timeoutFactor factor for timeouts
 */
export const connect = (base: string, timeoutFactor = 1): Client => {
  // Closed before any server's keep-alive timeout, so that no request hits a connection that is being closed.
  const agent = new Agent({ connections: 128, keepAliveTimeout: 1_000, keepAliveMaxTimeout: 1_000 })
  const watches = new Set<{ requests: number; dropped: string[] }>()

  const send = (path: string, request: RequestInit) =>
    fetch(`${base}${path}`, { ...request, dispatcher: agent })

  /** Waits for a response's body and classifies the outcome. */
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
      // The response that an analysis is still in progress is a proper response.
      if (outcome.kind === 'unknown' && !outcome.detail.includes(DETAILS.stillWorking))
        watch.dropped.push(`${what}: ${outcome.status} ${outcome.detail}`)
    }
    return outcome
  }

  const clientOf = (token?: string, ms = timeoutFactor * WAIT_MS): Client => {
    const { call } = createClient((target, request) => send(API_BASE + target, request), {
      token: () => token,
      ms,
    })
    return {
      call: (endpoint, ...input) => settle(`${endpoint.method} ${endpoint.path}`, call(endpoint, ...input)),
      get(path, ms) {
        const asked = send(path, {
          headers: { accept: 'text/html, */*' },
          signal: AbortSignal.timeout(timeoutFactor * ms),
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
