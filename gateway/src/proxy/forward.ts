import {
  badRequest,
  calling,
  createAgent,
  HttpError,
  SHORT_KEEP_ALIVE,
  timedOut,
  tooManyRequests,
  unavailable,
} from '@iodine/service-kit'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type Dispatcher, errors } from 'undici'
import { type Body, busy, createBodies, tooLarge } from '../bodies.js'
import { BOUNDS, type Bounds, type Refusal } from '../bounds.js'
import { type Client, type ClientLimits, LimitedResource } from '../client-limits.js'
import { createLivenessProbe } from '../liveness.js'
import type { Route } from '../routes.js'
import { forwardedHeaders } from './headers.js'
import { Pool } from './pool.js'
import { ResponseRelay } from './response-relay.js'

const CONNECT_MS = 2_000
/** Default timeout of a response's head. */
const WAIT_MS = 30_000
/** Timeout of a service's health check. Two misses mark it as hung; a busy machine is no fault. */
const LIVENESS_MS = 2_000

/** Service of a request, and its rules. */
export type Target = Omit<Route, 'prefix'>

/** Usage of the shared resources. */
export interface Load {
  /** Concurrent API requests. */
  in_flight: number
  /** Bodies that are still arriving. */
  arriving: number
  /** Bytes of bodies kept until their service has answered. */
  memory_bytes: number
  file_bytes: number
  /**
   * Requests per service that hold or await a connection; `… waits`: operations waiting for other work; `… pages`:
   * readers of public pages.
   */
  pools: Record<string, { active: number; waiting: number }>
}

export interface ForwardOptions {
  /** Returns a service's address; undefined while it is not deployed. */
  addressOf: (service: Route['service']) => string | undefined
  /** URL of this deployment in feeds; by default that of the request. */
  publicUrl?: URL | undefined
  bounds?: Bounds
  /** Receives the reason of each request that exceeds a limit. */
  refused?: (reason: Refusal) => void
  /**
   * Timeout of a service's health check, which is sent when a response takes half as long; 2 s by default.
   */
  livenessMs?: number
}

/** Maps an error of the dispatcher to an HTTP error. */
const failure = (error: unknown): unknown => {
  if (error instanceof HttpError) return error
  if (error instanceof errors.InvalidArgumentError) return badRequest()
  if (error instanceof errors.HeadersTimeoutError || error instanceof errors.BodyTimeoutError)
    return timedOut()
  return unavailable()
}

const hasBody = ({ method, headers }: FastifyRequest): boolean =>
  method !== 'GET' &&
  method !== 'HEAD' &&
  (headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0)

const leaveIfGone = ({ raw }: FastifyReply): void => {
  if (raw.destroyed) throw unavailable()
}

/** Queues for a connection of the pool. Rejects after `ms` milliseconds, and when the client disconnects. */
const waitForConnection = (
  pool: Pool,
  client: Client,
  { raw }: FastifyReply,
  { ms, onTimeout }: { ms: number; onTimeout: () => void },
): Promise<void> =>
  new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer)
      raw.off('close', onClose)
      waiting.cancel()
    }
    const waiting = pool.wait(client, () => {
      stop()
      resolve()
    })
    const timer = setTimeout(() => {
      stop()
      onTimeout()
      reject(busy())
    }, ms)
    const onClose = () => {
      stop()
      reject(unavailable())
    }
    raw.once('close', onClose)
  })

/** A request for a service, with its body and the connections to use. */
interface Exchange {
  target: Target
  request: FastifyRequest
  reply: FastifyReply
  origin: string
  /** The parsed origin: each use would parse a text again. */
  url: URL
  body: Body | undefined
  dispatcher: Dispatcher
  publicUrl: URL | undefined
}

const dispatch = (
  { target, request, url, body, dispatcher, publicUrl }: Exchange,
  relay: ResponseRelay,
): void => {
  const headers = forwardedHeaders(request, publicUrl)
  if (body) headers['content-length'] = String(body.bytes)
  calling(target.service, () =>
    dispatcher.dispatch(
      {
        origin: url,
        path: request.raw.url ?? '/',
        method: request.method as Dispatcher.HttpMethod,
        headers,
        body: body?.content() ?? null,
        headersTimeout: target.waitMs ?? WAIT_MS,
      },
      relay,
    ),
  )
}

/**
 * Sends a request to its service and relays the response. Resolves when the response is complete or streams. Rejects if
 * the service hangs.
 * @param over runs when the service has finished with the request
 */
const exchange = (
  sent: Exchange,
  { liveness, livenessMs }: { liveness: ReturnType<typeof createLivenessProbe>; livenessMs: number },
  over: () => void,
): Promise<FastifyReply> => {
  const { origin, reply } = sent
  let isComplete = false
  return new Promise((resolve, reject) => {
    const complete = () => {
      isComplete = true
      clearTimeout(watch)
    }
    const relay = new ResponseRelay(reply, {
      sent(answered) {
        complete()
        resolve(answered)
      },
      failed(error) {
        complete()
        reject(failure(error))
      },
      heard: () => liveness.heardFrom(origin),
      over,
    })
    const checkLiveness = async () => {
      if (!(await liveness.isAlive(origin))) relay.giveUp(unavailable())
      else if (!isComplete) watch = setTimeout(checkLiveness, livenessMs)
    }
    // A hung service is detected after 2.5 times `livenessMs`.
    let watch = setTimeout(checkLiveness, livenessMs / 2)
    // A client that disconnected must not hold a connection.
    reply.raw.once('close', () => {
      complete()
      if (!reply.raw.writableFinished) relay.abort()
    })
    dispatch(sent, relay)
  })
}

const POOL_SUFFIX = { pool: '', waitPool: ' waits', pagePool: ' pages' }

/** Creates the connection pools, one per service and kind of operation. */
const createPools = (bounds: Bounds) => {
  const agentOf = ({ all }: ClientLimits) =>
    createAgent({
      connections: all,
      connect: { timeout: CONNECT_MS },
      ...SHORT_KEEP_ALIVE,
      bodyTimeout: 60_000,
    })
  const agents = {
    pool: agentOf(bounds.pool),
    waitPool: agentOf(bounds.waitPool),
    pagePool: agentOf(bounds.pagePool),
  }
  const pools = new Map<string, Pool>()
  return {
    dispatcher: (kind: keyof typeof agents): Dispatcher => agents[kind].dispatcher,
    of(service: string, kind: keyof typeof agents): Pool {
      const name = service + POOL_SUFFIX[kind]
      const pool = pools.get(name) ?? new Pool(bounds[kind])
      pools.set(name, pool)
      return pool
    },
    load: (): Load['pools'] =>
      Object.fromEntries(
        [...pools].map(([name, { active, waiting }]) => [name, { active, waiting }] as const),
      ),
    close: () => Promise.all(Object.values(agents).map(agent => agent.close())),
  }
}

/**
 * Creates the function that forwards admitted requests: once the body is complete and a connection is free. Bodies are
 * not parsed.
 */
export const createForwarder = (
  app: FastifyInstance,
  { addressOf, publicUrl, bounds = BOUNDS, refused = () => {}, livenessMs = LIVENESS_MS }: ForwardOptions,
) => {
  const pools = createPools(bounds)
  const inFlight = new LimitedResource(bounds.inFlight)
  const pagesInFlight = new LimitedResource(bounds.pagesInFlight)
  const bodies = createBodies(bounds, refused)
  const liveness = createLivenessProbe(livenessMs)
  /** Bounded: one per service. */
  const urls = new Map<string, URL>()
  app.addHook('onClose', async () => {
    bodies.close()
    await pools.close()
    await liveness.close()
  })

  return {
    async forward(target: Target, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
      const origin = addressOf(target.service)
      if (!origin) throw unavailable()
      const { client, kind, bodyLimit } = request.admitted
      if (Number(request.headers['content-length'] ?? 0) > bodyLimit) throw tooLarge()
      leaveIfGone(reply)
      const slots = kind === 'pagePool' ? pagesInFlight : inFlight
      if (!slots.take(client)) {
        refused('in_flight')
        throw tooManyRequests(1)
      }
      reply.raw.once('close', () => slots.release(client))
      const body = hasBody(request) ? await bodies.take(request.raw, client, bodyLimit) : undefined
      const pool = pools.of(target.service, kind)
      let isOver = true
      const over = () => {
        if (!isOver) pool.release(client)
        isOver = true
        body?.free()
      }
      try {
        leaveIfGone(reply)
        if (!pool.take(client)) {
          const onTimeout = () => refused('no_connection')
          await waitForConnection(pool, client, reply, { ms: bounds.poolWaitMs, onTimeout })
        }
        isOver = false
        leaveIfGone(reply)
        const dispatcher = pools.dispatcher(kind)
        const url = urls.get(origin) ?? new URL(origin)
        urls.set(origin, url)
        const sent = { target, request, reply, origin, url, body, dispatcher, publicUrl }
        return await exchange(sent, { liveness, livenessMs }, over)
      } catch (error) {
        over()
        throw error
      }
    },
    load: (): Load => ({
      in_flight: inFlight.held + pagesInFlight.held,
      ...bodies.state(),
      pools: pools.load(),
    }),
  }
}
