import { type LookupAddress, lookup as systemLookup } from 'node:dns'
import { isIP } from 'node:net'
import { type Context, context, trace } from '@opentelemetry/api'
import { Agent, Client, type Dispatcher, interceptors, Pool } from 'undici'
import { createSingleFlight } from '../single-flight.js'

/** How long DNS results are cached, and how long an unreachable address is skipped. */
const KEPT_MS = 5_000
/** Errors that prove the request was not sent: a retry at another replica is safe. */
const NOT_REACHED = new Set(['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'UND_ERR_CONNECT_TIMEOUT'])
const ATTEMPTS = 3

export type Lookup = (
  hostname: string,
  options: { all: true },
  done: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void

/**
 * Resolves names to addresses. If a lookup fails, the last known addresses are used. One lookup at a time per
 * name.
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

/** Retries a request that reached no server at the next address. A streamed body cannot be sent twice. */
const askTheNext: Dispatcher.DispatcherComposeInterceptor = dispatch => (options, handler) => {
  const { body, origin } = options
  const isKept = body === null || body === undefined || typeof body === 'string' || Buffer.isBuffer(body)
  if (!isKept || isIP(new URL(String(origin)).hostname)) return dispatch(options, handler)
  let left = ATTEMPTS
  const attempt = (): boolean => {
    left--
    return dispatch(
      options,
      onFailure(handler, error => {
        const isAskedAgain = left > 0 && isNotReached(error)
        if (isAskedAgain) attempt()
        return isAskedAgain
      }),
    )
  }
  return attempt()
}

type Options = Dispatcher.DispatchOptions & { work?: Context }

/** Attaches the active context to a traced call. */
const noteWork: Dispatcher.DispatcherComposeInterceptor = dispatch => (options, handler) => {
  const work = context.active()
  return dispatch(trace.getSpan(work) ? ({ ...options, work } as Options) : options, handler)
}

/**
 * A client that dispatches each call in that call's own context: a queued call is otherwise sent in the
 * context of the response that freed the connection.
 */
class WorkingClient extends Client {
  override dispatch(options: Options, handler: Dispatcher.DispatchHandler): boolean {
    const { work } = options
    return work && work !== context.active()
      ? context.with(work, () => super.dispatch(options, handler))
      : super.dispatch(options, handler)
  }
}

/**
 * Connection pool for calls to other services. A name with several addresses (a service with replicas) is
 * looked up every few seconds, and calls rotate over the addresses; keep-alive connections would otherwise
 * stay with one replica.
 * @param lookup the system's by default
 */
export const createAgent = (
  options: Agent.Options,
  lookup: Lookup = systemLookup,
): { dispatcher: Dispatcher; close(): Promise<void> } => {
  const agent = new Agent({
    ...options,
    factory: (origin, given) =>
      new Pool(origin, { ...given, factory: (at, settings) => new WorkingClient(at, settings) }),
  })
  const resolve = createResolver(lookup)
  const leftOut = new Map<string, number>()
  const picks = new Map<string, number>()
  const freshUntil = new Map<string, number>()
  const noteUnreachable: Dispatcher.DispatcherComposeInterceptor = dispatch => (request, handler) =>
    dispatch(
      request,
      onFailure(handler, error => {
        if (isNotReached(error)) leftOut.set(new URL(String(request.origin)).host, Date.now() + KEPT_MS)
        return false
      }),
    )
  const dispatcher = agent.compose(
    noteUnreachable,
    interceptors.dns({
      maxTTL: KEPT_MS,
      lookup: (origin, _options, done) =>
        void resolve(origin.hostname).then(
          addresses => {
            freshUntil.set(origin.hostname, Date.now() + KEPT_MS)
            done(
              null,
              addresses.map(({ address, family }) => ({ address, family: family as 4 | 6, ttl: KEPT_MS })),
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
        const reachable = all.filter(ip => (leftOut.get(hostOf(ip)) ?? 0) < now)
        const candidates = reachable.length > 0 ? reachable : all
        const pick = (picks.get(origin.host) ?? -1) + 1
        picks.set(origin.host, pick)
        return candidates[pick % candidates.length] as (typeof all)[number]
      },
    }),
    askTheNext,
    noteWork,
  )
  return { dispatcher, close: () => agent.close() }
}
