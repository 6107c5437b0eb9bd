import { Agent, fetch } from 'undici'

const CHECKS = 2
/** Later than this it was this process, or the machine, that was late. */
const LATE_MS = 100

export interface Pulse {
  /** False when a service has left two health checks in a row unanswered, though nobody else was late; whoever asks meanwhile shares the look. */
  isFelt(origin: string): Promise<boolean>
  close(): Promise<void>
}

/** Tells a service that hangs from one that only takes long: whose health check is not answered for `checkMs`. */
export const createPulse = (checkMs: number): Pulse => {
  // Connections of its own: those of the service's requests may all be taken by what hangs.
  const agent = new Agent({ connections: 1, keepAliveTimeout: 1, keepAliveMaxTimeout: 1 })
  const looks = new Map<string, Promise<boolean>>()
  const look = async (origin: string): Promise<boolean> => {
    for (let left = CHECKS; left > 0; left--) {
      const from = performance.now()
      const answer = await fetch(new URL('/healthz', origin), {
        dispatcher: agent,
        signal: AbortSignal.timeout(checkMs),
      }).catch(() => undefined)
      await answer?.body?.cancel()
      if (answer || performance.now() - from > checkMs + LATE_MS) return true
    }
    return false
  }
  return {
    isFelt(origin) {
      const found = looks.get(origin) ?? look(origin).finally(() => looks.delete(origin))
      looks.set(origin, found)
      return found
    },
    close: () => agent.destroy(),
  }
}
