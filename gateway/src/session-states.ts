import { randomUUID } from 'node:crypto'
import { type Redis, redisEpochKey, runOutsideWork, SESSION_CACHE_MS, sessionKey } from '@iodine/service-kit'

/** Reader of the entries in Redis for sessions and API tokens: states written by auth, and tombstones. */
export interface SessionStates {
  /** Returns the entry of a session (`sid`) or API token (hash): null if there is none, undefined if Redis fails. */
  read(sid: string): Promise<string | null | undefined>
  /**
   * Returns false during `SESSION_CACHE_MS` after an outage of Redis: tombstones may be missing, and states may be
   * outdated.
   */
  isTrusted(): boolean
  /** Returns how often tombstones may have been lost. */
  losses(): number
  /** Registers a listener for such a loss, which makes cached states invalid. */
  onLoss(listener: () => void): void
}

/** Returns a reader of keys. Reads within one tick of the event loop use one MGET. */
const readerOf = (
  redis: Redis,
  prefix: string,
  onLoss: () => void,
): ((key: string) => Promise<string | null | undefined>) => {
  let memory: string | null = null
  const remember = () => void redis.set(redisEpochKey(prefix), randomUUID(), 'NX').catch(() => {})
  remember()
  let waiting: { key: string; resolve: (value: string | null | undefined) => void }[] = []
  const flush = () => {
    const asked = waiting
    waiting = []
    redis.mget(redisEpochKey(prefix), ...asked.map(({ key }) => key)).then(
      ([now = null, ...values]) => {
        if (now === null) remember()
        if (now !== memory) onLoss()
        memory = now
        for (const [index, { resolve }] of asked.entries()) resolve(values[index] ?? null)
      },
      () => {
        for (const { resolve } of asked) resolve(undefined)
      },
    )
  }
  return key =>
    new Promise(resolve => {
      if (waiting.push({ key, resolve }) === 1) runOutsideWork(() => setImmediate(flush))
    })
}

/**
 * Creates the reader of session states. After an outage of Redis a tombstone may be missing: caches of states are cleared,
 * and auth is queried as long as Redis may contain states from before the outage.
 */
export const createSessionStates = (redis: Redis, prefix: string): SessionStates => {
  const listeners: (() => void)[] = []
  let losses = 0
  const lost = () => {
    losses++
    for (const listener of listeners) listener()
  }
  const read = readerOf(redis, prefix, lost)
  let redisAway = false
  let distrustedUntil = 0
  redis.on('close', () => {
    redisAway = true
    lost()
  })
  redis.on('ready', () => {
    if (redisAway) distrustedUntil = Date.now() + SESSION_CACHE_MS
    redisAway = false
  })
  return {
    read: sid => read(sessionKey(prefix, sid)),
    isTrusted: () => Date.now() >= distrustedUntil,
    losses: () => losses,
    onLoss: listener => void listeners.push(listener),
  }
}
