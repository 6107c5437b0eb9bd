import { LRUCache } from 'lru-cache'

/** An import whose next batch does not come within this time is not running. */
const PAUSE_MS = 5_000
/** Maximum time for which a running import delays the work behind its answers. */
const DELAY_MAX_MS = 120_000
const USERS_MAX = 1_000

/**
 * Imports whose batches this process stores. The work behind their answers waits until they end or pause, so that it does
 * not slow them.
 */
export interface RunningImports {
  /** Notes a batch of an import. @param isLast whether the import has no further records */
  note(userId: string, isLast: boolean): void
  /** Ends the delay of a user whose other records or settings changed. */
  hurry(userId: string): void
  /** Returns the milliseconds for which the work waits; 0 for none. */
  delayOf(userId: string): number
}

export const createRunningImports = (): RunningImports => {
  /** By user: time of the last batch, and until when the work may be delayed. */
  const running = new LRUCache<string, { at: number; until: number }>({ max: USERS_MAX })
  const find = (userId: string) => {
    const found = running.get(userId)
    return found && Date.now() < found.at + PAUSE_MS ? found : undefined
  }
  return {
    note(userId, isLast) {
      const at = Date.now()
      if (isLast) running.delete(userId)
      else running.set(userId, { at, until: find(userId)?.until ?? at + DELAY_MAX_MS })
    },
    hurry(userId) {
      const found = find(userId)
      if (found) found.until = 0
    },
    delayOf(userId) {
      const found = find(userId)
      return found && found.until > Date.now() ? found.at + PAUSE_MS - Date.now() : 0
    },
  }
}
