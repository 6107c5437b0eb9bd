import { type BodyFor, type EndpointSpec, type ParamsFor, pathOf, type ResponseOf } from '@iodine/contracts'
import { Agent, fetch, type Response } from 'undici'
import type { ServiceConfig } from './config.js'
import { HttpError, unavailable } from './errors.js'

export type PeerName = 'auth' | 'collector' | 'iods' | 'campaigns' | 'narratives' | 'community'

export interface Peers {
  /**
   * Calls another service. A peer that is down or slower than `ms` (2 s unless told) is an HttpError 503; its own
   * refusals come as HttpErrors with their status.
   */
  call<E extends EndpointSpec>(
    peer: PeerName,
    endpoint: E,
    request?: { params?: ParamsFor<E>; body?: BodyFor<E>; ms?: number; requestId?: string },
  ): Promise<ResponseOf<E>>
  /** Like `call`, for answers too large to hold: the body as it comes, which throws when it is cut off. */
  stream<E extends EndpointSpec>(
    peer: PeerName,
    endpoint: E,
    request?: { params?: ParamsFor<E>; ms?: number },
  ): Promise<AsyncIterable<Uint8Array>>
  close(): Promise<void>
}

export const SERVICE_KEY_HEADER = 'x-service-key'

interface Request {
  params?: unknown
  body?: unknown
  ms?: number
  requestId?: string
}

/** Where the services are, and the key they know each other by. */
export type PeersConfig = Pick<ServiceConfig, 'SERVICE_KEY' | `${Uppercase<PeerName>}_URL`>

export const createPeers = (config: PeersConfig): Peers => {
  const agent = new Agent({ connections: 32, pipelining: 1 })
  const base = (peer: PeerName) => {
    const url = config[`${peer.toUpperCase() as Uppercase<PeerName>}_URL`]
    if (!url) throw unavailable()
    return url
  }
  const send = async (
    peer: PeerName,
    endpoint: EndpointSpec,
    { params, body, ms = 2_000, requestId }: Request,
  ): Promise<Response> => {
    const path = pathOf(endpoint, params)
    const url = new URL(path, base(peer))
    return fetch(url, {
      method: endpoint.method,
      dispatcher: agent,
      signal: AbortSignal.timeout(ms),
      headers: {
        [SERVICE_KEY_HEADER]: config.SERVICE_KEY,
        ...(requestId && { 'x-request-id': requestId }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
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
    close: () => agent.close(),
  }
}
