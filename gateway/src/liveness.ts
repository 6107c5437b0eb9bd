import { monitorEventLoopDelay } from 'node:perf_hooks'
import { createSingleFlight } from '@iodine/service-kit'
import { Agent, fetch } from 'undici'

const CHECKS = 2
/** A process that is held up for longer says nothing of whether others are: it, or the machine, is busy. */
const LATE_NS = 250e6

export interface LivenessProbe {
  /** Notes that a service has just said something, to whomever: one that does is busy, not hung. */
  heardFrom(origin: string): void
  /**
   * False when a service has left two health checks in a row unanswered and said nothing else meanwhile, while this process
   * itself ran on time; whoever asks meanwhile shares the look.
   */
  isAlive(origin: string): Promise<boolean>
  close(): Promise<void>
}

/** Tells a service that hangs from one that only takes long: whose health check is not answered for `checkMs`. */
export const createLivenessProbe = (checkMs: number): LivenessProbe => {
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
    heardFrom: origin => void heard.set(origin, performance.now()),
    isAlive: origin => looks(origin, () => look(origin)),
    close: () => agent.destroy(),
  }
}
