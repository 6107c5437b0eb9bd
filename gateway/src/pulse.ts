import { Agent, fetch } from 'undici'

const CHECK_MS = 700
const CHECKS = 2

export interface Pulse {
  /** False when a service has left two health checks in a row unanswered; whoever asks meanwhile shares the look. */
  isFelt(origin: string): Promise<boolean>
  close(): Promise<void>
}

/** Tells a service that hangs from one that only takes long. */
export const createPulse = (): Pulse => {
  // Connections of its own: those of the service's requests may all be taken by what hangs.
  const agent = new Agent({ connections: 1, keepAliveTimeout: 1, keepAliveMaxTimeout: 1 })
  const looks = new Map<string, Promise<boolean>>()
  const look = async (origin: string): Promise<boolean> => {
    // Two, as the first may be late because this process was.
    for (let left = CHECKS; left > 0; left--) {
      const answer = await fetch(new URL('/healthz', origin), {
        dispatcher: agent,
        signal: AbortSignal.timeout(CHECK_MS),
      }).catch(() => undefined)
      await answer?.body?.cancel()
      if (answer) return true
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
