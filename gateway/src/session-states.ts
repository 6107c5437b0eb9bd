import { randomUUID } from 'node:crypto'
import { memoryKey, type Redis, runOutsideWork, SESSION_KNOWN_MS, sessionKey } from '@iodine/service-kit'

/** What Redis holds of sessions and API tokens: states as auth writes them, and tombstones. */
export interface SessionStates {
  /** The value of a session (`sid`) or API token (hash): null for none, undefined when Redis fails. */
  read(sid: string): Promise<string | null | undefined>
  /**
   * False for a while after Redis was away: a tombstone that could not be written then may be missing, and states may be
   * from before.
   */
  isTrusted(): boolean
  /** Counts the times that tombstones may have been lost. */
  losses(): number
  /** Called then: what was seen alive before proves nothing any more. */
  onLoss(listener: () => void): void
}

/** Returns a reader of keys. Reads within one tick of the event loop use one MGET. */
const readerOf = (
  redis: Redis,
  prefix: string,
  onLoss: () => void,
): ((key: string) => Promise<string | null | undefined>) => {
  let memory: string | null = null
  const remember = () => void redis.set(memoryKey(prefix), randomUUID(), 'NX').catch(() => {})
  remember()
  let waiting: { key: string; resolve: (value: string | null | undefined) => void }[] = []
  const flush = () => {
    const asked = waiting
    waiting = []
    redis.mget(memoryKey(prefix), ...asked.map(({ key }) => key)).then(
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
    if (redisAway) distrustedUntil = Date.now() + SESSION_KNOWN_MS
    redisAway = false
  })
  return {
    read: sid => read(sessionKey(prefix, sid)),
    isTrusted: () => Date.now() >= distrustedUntil,
    losses: () => losses,
    onLoss: listener => void listeners.push(listener),
  }
}
