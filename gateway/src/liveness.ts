import { monitorEventLoopDelay } from 'node:perf_hooks'
import { createSingleFlight } from '@iodine/service-kit'
import { Agent, fetch } from 'undici'

const CHECKS = 2
/** A process that is held up for longer says nothing of whether others are: it, or the machine, is busy. */
const LATE_NS = 250e6

/** Tells a service that hangs from one that only takes long: whose health check is not answered for `checkMs`. */
export const createLivenessProbe = (checkMs: number) => {
  // Connections of its own: those of the service's requests may all be taken by what hangs.
  const agent = new Agent({ connections: 1, keepAliveTimeout: 1, keepAliveMaxTimeout: 1 })
  const looks = createSingleFlight<string, boolean>()
  const heard = new Map<string, number>()
  const look = async (origin: string): Promise<boolean> => {
    for (let left = CHECKS; left > 0; left--) {
      const from = performance.now()
      const delay = monitorEventLoopDelay({ resolution: 20 })
      delay.enable()
      const answer = await fetch(new URL('/healthz', origin), {
        dispatcher: agent,
        signal: AbortSignal.timeout(checkMs),
      }).catch(() => undefined)
      delay.disable()
      await answer?.body?.cancel()
      // A service with more to do than it can takes new connections late: what it says on the others counts as well.
      if (answer || (heard.get(origin) ?? 0) > from || delay.max > LATE_NS) return true
    }
    return false
  }
  return {
    /** Notes that a service has just sent something: it is busy, not hung. */
    heardFrom: (origin: string): void => void heard.set(origin, performance.now()),
    /**
     * False when a service has left two health checks in a row unanswered and sent nothing else meanwhile, while this
     * process itself ran on time. Calls at the same time share one look.
     */
    isAlive: (origin: string): Promise<boolean> => looks(origin, () => look(origin)),
    close: () => agent.destroy(),
  }
}
