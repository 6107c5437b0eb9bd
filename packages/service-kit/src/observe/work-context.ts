import { type Context, context, createContextKey, ROOT_CONTEXT, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'

// OpenTelemetry's context propagates the request's context through async calls, with or without tracing.
context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())

const REQUEST_ID = createContextKey('iodine.request-id')

/**
 * Id of the request that the work belongs to: in every log line, in the answer's `X-Request-Id`, in internal
 * calls and in jobs. Undefined at start-up and in timers.
 * @param work the active context by default
 */
export const requestIdOf = (work: Context = context.active()): string | undefined =>
  work.getValue(REQUEST_ID) as string | undefined

/** Id of the active trace; undefined without tracing. */
export const traceIdOf = (work: Context = context.active()): string | undefined =>
  trace.getSpanContext(work)?.traceId

export const withRequestId = (work: Context, id: string): Context => work.setValue(REQUEST_ID, id)

/**
 * Runs `run` outside any request's context: for what several requests share, such as connections and reads
 * in batches.
 */
export const runOutsideWork = <T>(run: () => T): T => context.with(ROOT_CONTEXT, run)

const PEER = createContextKey('iodine.peer')

/** The peer of the active call, set by `calling`. */
export const calledPeer = (): string | undefined => context.active().getValue(PEER) as string | undefined

/**
 * Runs a call to a peer, to which the trace is propagated; external servers, such as the AI provider, get no
 * trace headers.
 */
export const calling = <T>(peer: string, run: () => T): T => {
  const work = context.active()
  return trace.getSpan(work) ? context.with(work.setValue(PEER, peer), run) : run()
}
