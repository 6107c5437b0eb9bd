import { context, createContextKey, trace } from '@opentelemetry/api'

const PEER = createContextKey('iodine.peer')

/** The part that is being called, by `calling`. */
export const calledPeer = (): string | undefined => context.active().getValue(PEER) as string | undefined

/** Runs a call to another part: that goes on with the trace. What others are asked, such as the AI provider, tells them nothing. */
export const calling = <T>(peer: string, run: () => T): T => {
  const work = context.active()
  return trace.getSpan(work) ? context.with(work.setValue(PEER, peer), run) : run()
}
