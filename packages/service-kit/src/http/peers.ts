import {
  ApiError,
  type Client,
  createClient,
  DETAILS,
  type InputArguments,
  type InternalEndpoint,
  type ResponseOf,
  SERVICE_NAMES,
  type ServiceName,
  type WireRequest,
} from '@iodine/contracts'
import { fetch, type Response } from 'undici'
import type { ServiceConfig } from '../config.js'
import type { PartMetrics } from '../observe/metrics.js'
import { calling, requestIdOf } from '../observe/work-context.js'
import { timeoutSignal } from '../stalls.js'
import { createAgent } from './agent.js'
import { HttpError, unavailable } from './errors.js'

export interface Peers {
  /**
   * Calls another service.
   * @throws HttpError with the status of the peer's error answer; 503 if the peer is down or slower than `ms` (default
   *   2 s), with the call and the reason as cause
   */
  call<E extends InternalEndpoint>(
    peer: ServiceName,
    endpoint: E,
    ...input: InputArguments<E>
  ): Promise<ResponseOf<E>>
  /** Like `call`, for answers too large for memory: streams the body; throws if the stream is cut off. */
  stream<E extends InternalEndpoint>(
    peer: ServiceName,
    endpoint: E,
    ...input: InputArguments<E>
  ): Promise<AsyncIterable<Uint8Array>>
  close(): Promise<void>
}

/**
 * For undici: closes idle connections before a draining server does, whatever keep-alive the server
 * announces, so that no request is sent on a closing connection.
 */
export const SHORT_KEEP_ALIVE = { keepAliveTimeout: 1_000, keepAliveMaxTimeout: 1_000 }

export const SERVICE_KEY_HEADER = 'x-service-key'

const TIMEOUT_MS = 2_000
/** Default timeout in command-line programs: no user waits, and the machine may be busy. */
export const COMMAND_TIMEOUT_MS = 30_000

/** URLs of the services and the shared service key. */
export type PeersConfig = Pick<ServiceConfig, 'SERVICE_KEY' | `${Uppercase<ServiceName>}_URL`>

/** Returns a part's URL from the settings; undefined if the part is not deployed. */
export const addressOf = <Name extends string>(
  config: { readonly [Key in `${Uppercase<Name>}_URL`]?: string | undefined },
  name: Name,
): string | undefined => config[`${name.toUpperCase() as Uppercase<Name>}_URL`]

/**
 * Creates the client for calls to other services. Each call carries the id and trace context of the request or job that
 * made it.
 * @param timeoutMs default timeout of a call
 */
export const createPeers = (
  config: PeersConfig,
  metrics?: Pick<PartMetrics, 'observePeer'>,
  timeoutMs = TIMEOUT_MS,
): Peers => {
  const { dispatcher, close } = createAgent({ connections: 32, pipelining: 1, ...SHORT_KEEP_ALIVE })
  const serviceKey = config.SERVICE_KEY.split(',', 1)[0] as string
  const base = (peer: ServiceName) => {
    const url = addressOf(config, peer)
    if (!url) throw unavailable()
    return url
  }
  const send = async (peer: ServiceName, target: string, request: WireRequest): Promise<Response> => {
    const url = new URL(target, base(peer))
    const started = performance.now()
    let status: number | 'unreachable' = 'unreachable'
    try {
      const requestId = requestIdOf()
      const response = await calling(peer, () =>
        fetch(url, {
          ...request,
          dispatcher,
          headers: {
            ...request.headers,
            [SERVICE_KEY_HEADER]: serviceKey,
            ...(requestId && { 'x-request-id': requestId }),
          },
        }),
      )
      status = response.status
      return response
    } finally {
      metrics?.observePeer(peer, status, performance.now() - started)
    }
  }
  const clients = new Map(
    SERVICE_NAMES.map(peer => [
      peer,
      createClient((target, request) => send(peer, target, request), {
        ms: timeoutMs,
        timeout: timeoutSignal,
      }),
    ]),
  )
  const clientOf = (peer: ServiceName) => clients.get(peer) as Client<Response>
  return {
    call: (peer, endpoint, ...input) =>
      clientOf(peer)
        .call(endpoint, ...input)
        .catch(fail),
    stream: (peer, endpoint, ...input) =>
      clientOf(peer)
        .open(endpoint, ...input)
        .then(({ body }) => body ?? Promise.reject(unavailable()), fail),
    close,
  }
}

/** Passes on a peer's error answer that has a detail; maps every other failure to 503. */
const fail = (error: unknown): never => {
  if (!(error instanceof ApiError)) throw error
  const { status, detail } = error
  throw status >= 400 && detail !== null
    ? new HttpError(status, detail)
    : unavailable(DETAILS.unavailable, error)
}

/** Runs `work` with calls to the running services, then closes their connections. */
export const withPeers = async <T>(config: PeersConfig, work: (peers: Peers) => Promise<T>): Promise<T> => {
  const peers = createPeers(config, undefined, COMMAND_TIMEOUT_MS)
  try {
    return await work(peers)
  } finally {
    await peers.close()
  }
}
