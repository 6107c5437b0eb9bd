import { monitorEventLoopDelay } from 'node:perf_hooks'
import { createSingleFlight } from '@iodine/service-kit'
import { Agent, fetch } from 'undici'

const CHECKS = 2
/** With a longer event loop delay this process or the machine is busy, and a missed check proves nothing. */
const LATE_NS = 250e6

/** Creates a probe that distinguishes hung services from slow ones. A hung service does not answer its health check within `checkMs`. */
export const createLivenessProbe = (checkMs: number) => {
  // A separate connection: a hung service may hold all connections of its pools.
  const agent = new Agent({ connections: 1, keepAliveTimeout: 1, keepAliveMaxTimeout: 1 })
  const checks = createSingleFlight<string, boolean>()
  const heard = new Map<string, number>()
  const check = async (origin: string): Promise<boolean> => {
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
      // An overloaded service accepts new connections late: responses on its other connections count as well.
      if (answer || (heard.get(origin) ?? 0) > from || delay.max > LATE_NS) return true
    }
    return false
  }
  return {
    /** Records that a service has just sent data, so that it counts as busy, not hung. */
    heardFrom: (origin: string): void => void heard.set(origin, performance.now()),
    /**
     * Returns false when a service missed two health checks in a row and sent nothing meanwhile, while this
     * process ran on time. Concurrent calls share a check.
     */
    isAlive: (origin: string): Promise<boolean> => checks(origin, () => check(origin)),
    close: () => agent.destroy(),
  }
}
