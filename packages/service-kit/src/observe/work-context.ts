import { type Context, context, createContextKey, propagation, ROOT_CONTEXT, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'

// OpenTelemetry's context propagates the request's context through async calls, with or without tracing.
context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())

const REQUEST_ID = createContextKey('iodine.request-id')

/**
 * Returns the id of the request that the work belongs to: in every log line, in the answer's `X-Request-Id`, in
 * internal calls and in jobs. Undefined at start-up and in timers.
 * @param work the active context by default
 */
export const requestIdOf = (work: Context = context.active()): string | undefined =>
  work.getValue(REQUEST_ID) as string | undefined

/** Returns the id of the active trace; undefined without tracing. */
export const traceIdOf = (work: Context = context.active()): string | undefined =>
  trace.getSpanContext(work)?.traceId

export const withRequestId = (work: Context, id: string): Context => work.setValue(REQUEST_ID, id)

/** Returns request id and trace context, to be stored with deferred work. */
export const originOf = (work: Context = context.active()): Record<string, string> => {
  const id = requestIdOf(work)
  const origin: Record<string, string> = id === undefined ? {} : { request_id: id }
  propagation.inject(work, origin)
  return origin
}

/** Returns a context with the origin that `originOf` returned. */
export const withOrigin = (work: Context, origin: Record<string, string>): Context => {
  const { request_id: id } = origin
  return propagation.extract(id === undefined ? work : withRequestId(work, id), origin)
}

/**
 * Runs `run` outside any request's context: for resources that requests share, such as connections and batched reads.
 */
export const runOutsideWork = <T>(run: () => T): T => context.with(ROOT_CONTEXT, run)

const PEER = createContextKey('iodine.peer')

/** Returns the peer of the active call, set by `calling`. */
export const calledPeer = (): string | undefined => context.active().getValue(PEER) as string | undefined

/**
 * Runs a call to a peer, to which the trace is propagated. External servers, such as the AI provider, receive no trace
 * headers.
 */
export const calling = <T>(peer: string, run: () => T): T => {
  const work = context.active()
  return trace.getSpan(work) ? context.with(work.setValue(PEER, peer), run) : run()
}
