import { type FaultProxy, type FaultProxyState, startFaultProxy } from '@iodine/test-kit'
import type { ProcessName } from './names.js'

/**
 * Creates the fault proxies between processes, one per pair, which are started on first use.
 * @param portOf returns the port that a process listens on
 */
export const createLinks = (portOf: (name: ProcessName) => number | undefined) => {
  const links = new Map<string, FaultProxy & { ends: readonly [string, ProcessName] }>()
  return {
    /** Returns the port at which `from` reaches `to`. */
    async port(from: ProcessName | 'clients', to: ProcessName): Promise<number> {
      const key = `${from} ${to}`
      let found = links.get(key)
      if (!found) {
        found = { ...(await startFaultProxy(() => portOf(to))), ends: [from, to] }
        links.set(key, found)
      }
      return found.port
    },
    /** Sets the state of all links to and from a process. */
    set(name: ProcessName, state: FaultProxyState): void {
      for (const { ends, set } of links.values()) if (ends.some(each => each === name)) set(state)
    },
    stop: () => Promise.all([...links.values()].map(each => each.stop())),
  }
}
