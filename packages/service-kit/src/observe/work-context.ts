import { type Context, context, createContextKey, ROOT_CONTEXT, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'

// OpenTelemetry's context carries the work of a request through every await, traced or not.
context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())

const REQUEST_ID = createContextKey('iodine.request-id')

/**
 * The id of the request that work belongs to: in every log line, in the answer's `X-Request-Id`, in internal calls and in
 * jobs. Undefined at start-up and in timers.
 * @param work that under way unless given
 */
export const requestIdOf = (work: Context = context.active()): string | undefined =>
  work.getValue(REQUEST_ID) as string | undefined

/** The id of the trace that work is in; undefined where nothing is traced. */
export const traceIdOf = (work: Context = context.active()): string | undefined =>
  trace.getSpanContext(work)?.traceId

export const withRequestId = (work: Context, id: string): Context => work.setValue(REQUEST_ID, id)

/** Runs something that outlives the work under way, such as opening a connection that others will use, as a part of none. */
export const runOutsideWork = <T>(run: () => T): T => context.with(ROOT_CONTEXT, run)

const PEER = createContextKey('iodine.peer')

/** The part that is being called, by `calling`. */
export const calledPeer = (): string | undefined => context.active().getValue(PEER) as string | undefined

/** Runs a call to another part: that goes on with the trace. What others are asked, such as the AI provider, tells them nothing. */
export const calling = <T>(peer: string, run: () => T): T => {
  const work = context.active()
  return trace.getSpan(work) ? context.with(work.setValue(PEER, peer), run) : run()
}
