import type { BodyFor, EndpointSpec, ParamsFor, ResponseOf } from '@iodine/contracts'
import { Agent, fetch } from 'undici'
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
  close(): Promise<void>
}

export const SERVICE_KEY_HEADER = 'x-service-key'

export const createPeers = (config: ServiceConfig): Peers => {
  const agent = new Agent({ connections: 32, pipelining: 1 })
  const base = (peer: PeerName) => {
    const url = config[`${peer.toUpperCase() as Uppercase<PeerName>}_URL`]
    if (!url) throw unavailable()
    return url
  }
  return {
    async call(peer, endpoint, { params, body, ms = 2_000, requestId } = {}) {
      const path = endpoint.path.replace(/:(\w+)/g, (_, name: string) =>
        encodeURIComponent(String((params as Record<string, unknown>)[name])),
      )
      const url = new URL(path, base(peer))
      let status: number
      let answer: unknown
      try {
        const response = await fetch(url, {
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
        status = response.status
        answer = await response.json()
      } catch {
        throw unavailable()
      }
      if (status >= 400) throw new HttpError(status, (answer as { detail?: string }).detail ?? '')
      return answer as ResponseOf<typeof endpoint>
    },
    close: () => agent.close(),
  }
}
