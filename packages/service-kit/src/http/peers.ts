import {
  type BodyFor,
  type EndpointSpec,
  type ParamsFor,
  pathOf,
  type ResponseOf,
  type ServiceName,
} from '@iodine/contracts'
import { fetch, type Response } from 'undici'
import type { ServiceConfig } from '../config.js'
import type { PartMetrics } from '../observe/metrics.js'
import { calling } from '../observe/tracing.js'
import { requestIdOf } from '../observe/work-context.js'
import { createAgent } from './agent.js'
import { HttpError, unavailable } from './errors.js'

export interface Peers {
  /**
   * Calls another service. A peer that is down or slower than `ms` (2 s unless told) is an HttpError 503; its own
   * refusals come as HttpErrors with their status.
   */
  call<E extends EndpointSpec>(
    peer: ServiceName,
    endpoint: E,
    request?: { params?: ParamsFor<E>; body?: BodyFor<E>; ms?: number },
  ): Promise<ResponseOf<E>>
  /** Like `call`, for answers too large to hold: the body as it comes, which throws when it is cut off. */
  stream<E extends EndpointSpec>(
    peer: ServiceName,
    endpoint: E,
    request?: { params?: ParamsFor<E>; ms?: number },
  ): Promise<AsyncIterable<Uint8Array>>
  close(): Promise<void>
}

/**
 * For undici: gives unused connections up before a server that drains does, whatever the server says it would keep, so
 * that no request meets a connection that is just being closed.
 */
export const SHORT_KEEP_ALIVE = { keepAliveTimeout: 1_000, keepAliveMaxTimeout: 1_000 }

export const SERVICE_KEY_HEADER = 'x-service-key'

interface Request {
  params?: unknown
  body?: unknown
  ms?: number
}

/** Where the services are, and the key they know each other by. */
export type PeersConfig = Pick<ServiceConfig, 'SERVICE_KEY' | `${Uppercase<ServiceName>}_URL`>

/**
 * How this part calls the others. A call belongs to the request or job that it is made for: it carries its id and its
 * place in the trace.
 */
export const createPeers = (config: PeersConfig, metrics?: Pick<PartMetrics, 'observePeer'>): Peers => {
  const { dispatcher, close } = createAgent({ connections: 32, pipelining: 1, ...SHORT_KEEP_ALIVE })
  const serviceKey = config.SERVICE_KEY.split(',', 1)[0] as string
  const base = (peer: ServiceName) => {
    const url = config[`${peer.toUpperCase() as Uppercase<ServiceName>}_URL`]
    if (!url) throw unavailable()
    return url
  }
  const send = async (
    peer: ServiceName,
    endpoint: EndpointSpec,
    { params, body, ms = 2_000 }: Request,
  ): Promise<Response> => {
    const path = pathOf(endpoint, params)
    const url = new URL(path, base(peer))
    const started = performance.now()
    let status: number | 'unreachable' = 'unreachable'
    try {
      const requestId = requestIdOf()
      const response = await calling(peer, () =>
        fetch(url, {
          method: endpoint.method,
          dispatcher,
          signal: AbortSignal.timeout(ms),
          headers: {
            [SERVICE_KEY_HEADER]: serviceKey,
            ...(requestId && { 'x-request-id': requestId }),
            ...(body !== undefined && { 'content-type': 'application/json' }),
          },
          ...(body !== undefined && { body: JSON.stringify(body) }),
        }),
      )
      status = response.status
      return response
    } finally {
      metrics?.observePeer(peer, status, performance.now() - started)
    }
  }
  const refusal = (status: number, answer: unknown) =>
    new HttpError(status, (answer as { detail?: string }).detail ?? '')
  return {
    async call(peer, endpoint, request = {}) {
      let status: number
      let answer: unknown
      try {
        const response = await send(peer, endpoint, request)
        status = response.status
        answer = await response.json()
      } catch {
        throw unavailable()
      }
      if (status >= 400) throw refusal(status, answer)
      return answer as ResponseOf<typeof endpoint>
    },
    async stream(peer, endpoint, request = {}) {
      const response = await send(peer, endpoint, request).catch(() => {
        throw unavailable()
      })
      if (response.status >= 400 || !response.body)
        throw refusal(response.status, await response.json().catch(() => ({})))
      return response.body
    },
    close,
  }
}
