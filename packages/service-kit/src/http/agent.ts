import { type LookupAddress, lookup as systemLookup } from 'node:dns'
import { isIP } from 'node:net'
import { type Context, context, trace } from '@opentelemetry/api'
import { Agent, Client, type Dispatcher, interceptors, Pool } from 'undici'
import { createSingleFlight } from '../single-flight.js'

/** Time for which DNS results are cached and an unreachable address is skipped. */
const CACHE_MS = 5_000
/** Errors that prove the request was not sent: a retry at another replica is safe. */
const NOT_REACHED = new Set(['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'UND_ERR_CONNECT_TIMEOUT'])
const ATTEMPTS = 3

export type Lookup = (
  hostname: string,
  options: { all: true },
  done: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void

/**
 * Creates a resolver of host names, with one lookup at a time per name. If a lookup fails, it returns the last known
 * addresses.
 */
const createResolver = (lookup: Lookup) => {
  // Bounded: only host names from the settings.
  const known = new Map<string, LookupAddress[]>()
  const resolving = createSingleFlight<string, LookupAddress[]>()
  const resolve = async (hostname: string) => {
    try {
      const found = await new Promise<LookupAddress[]>((done, fail) =>
        lookup(hostname, { all: true }, (error, addresses) => (error ? fail(error) : done(addresses))),
      )
      // `localhost` may resolve to IPv6 while the server listens on IPv4 only.
      const four = found.filter(({ family }) => family === 4)
      known.set(hostname, four.length > 0 ? four : found)
    } catch (error) {
      if (!known.has(hostname)) throw error
    }
    return known.get(hostname) as LookupAddress[]
  }
  return (hostname: string): Promise<LookupAddress[]> => resolving(hostname, () => resolve(hostname))
}

/** Wraps a handler: `failed` sees each error first and returns true if it has handled it. */
const onFailure = (
  handler: Dispatcher.DispatchHandler,
  failed: (error: NodeJS.ErrnoException) => boolean,
): Dispatcher.DispatchHandler => ({
  onRequestStart: (...given) => handler.onRequestStart?.(...given),
  onRequestUpgrade: (...given) => handler.onRequestUpgrade?.(...given),
  onResponseStart: (...given) => handler.onResponseStart?.(...given),
  onResponseData: (...given) => handler.onResponseData?.(...given),
  onResponseEnd: (...given) => handler.onResponseEnd?.(...given),
  onResponseError: (controller, error) => {
    if (!failed(error)) handler.onResponseError?.(controller, error)
  },
})
const isNotReached = ({ code }: NodeJS.ErrnoException) => code !== undefined && NOT_REACHED.has(code)

const urlOf = ({ origin }: Dispatcher.DispatchOptions): URL =>
  origin instanceof URL ? origin : new URL(String(origin))

/** Retries a request that reached no server at the next address. A streamed body cannot be sent twice. */
const retryNextAddress: Dispatcher.DispatcherComposeInterceptor = dispatch => (options, handler) => {
  const { body } = options
  const isReplayable =
    body === null || body === undefined || typeof body === 'string' || Buffer.isBuffer(body)
  if (!isReplayable || isIP(urlOf(options).hostname)) return dispatch(options, handler)
  let left = ATTEMPTS
  const attempt = (): boolean => {
    left--
    return dispatch(
      options,
      onFailure(handler, error => {
        const willRetry = left > 0 && isNotReached(error)
        if (willRetry) attempt()
        return willRetry
      }),
    )
  }
  return attempt()
}

type Options = Dispatcher.DispatchOptions & { work?: Context }

/** Attaches the active context to a traced call. */
const attachContext: Dispatcher.DispatcherComposeInterceptor = dispatch => (options, handler) => {
  const work = context.active()
  return dispatch(trace.getSpan(work) ? ({ ...options, work } as Options) : options, handler)
}

/**
 * Dispatches each call in the call's own context: undici sends a queued call in the context of the response that freed
 * the connection.
 */
class ContextClient extends Client {
  override dispatch(options: Options, handler: Dispatcher.DispatchHandler): boolean {
    const { work } = options
    return work && work !== context.active()
      ? context.with(work, () => super.dispatch(options, handler))
      : super.dispatch(options, handler)
  }
}

/**
 * Creates the connection pool for calls to other services. A name with several addresses (a service with replicas) is
 * looked up every few seconds, and calls rotate over the addresses: keep-alive connections would stay with one replica.
 * @param lookup the system's by default
 */
export const createAgent = (
  options: Agent.Options,
  lookup: Lookup = systemLookup,
): { dispatcher: Dispatcher; close(): Promise<void> } => {
  const agent = new Agent({
    ...options,
    factory: (origin, given) =>
      new Pool(origin, { ...given, factory: (at, settings) => new ContextClient(at, settings) }),
  })
  const resolve = createResolver(lookup)
  const skippedUntil = new Map<string, number>()
  const picks = new Map<string, number>()
  const freshUntil = new Map<string, number>()
  const noteUnreachable: Dispatcher.DispatcherComposeInterceptor = dispatch => (request, handler) =>
    dispatch(
      request,
      onFailure(handler, error => {
        if (isNotReached(error)) skippedUntil.set(urlOf(request).host, Date.now() + CACHE_MS)
        return false
      }),
    )
  const dispatcher = agent.compose(
    noteUnreachable,
    interceptors.dns({
      maxTTL: CACHE_MS,
      lookup: (origin, _options, done) =>
        void resolve(origin.hostname).then(
          addresses => {
            freshUntil.set(origin.hostname, Date.now() + CACHE_MS)
            done(
              null,
              addresses.map(({ address, family }) => ({ address, family: family as 4 | 6, ttl: CACHE_MS })),
            )
          },
          error => done(error, []),
        ),
      pick: (origin, { records }) => {
        const all = [...(records[4]?.ips ?? []), ...(records[6]?.ips ?? [])]
        const now = Date.now()
        // A null result makes undici look the name up again.
        if ((freshUntil.get(origin.hostname) ?? 0) < now) return null as never
        const hostOf = ({ address, family }: (typeof all)[number]) =>
          `${family === 6 ? `[${address}]` : address}:${origin.port || 80}`
        const reachable = all.filter(ip => (skippedUntil.get(hostOf(ip)) ?? 0) < now)
        const candidates = reachable.length > 0 ? reachable : all
        const pick = (picks.get(origin.host) ?? -1) + 1
        picks.set(origin.host, pick)
        return candidates[pick % candidates.length] as (typeof all)[number]
      },
    }),
    retryNextAddress,
    attachContext,
  )
  return { dispatcher, close: () => agent.close() }
}
