import { randomUUID } from 'node:crypto'
import { authInternal, type SessionState, sessionState } from '@iodine/contracts'
import {
  bearerToken,
  type Caller,
  HttpError,
  memoryKey,
  type Peers,
  type Redis,
  SESSION_GRACE_MS,
  SESSION_KNOWN_MS,
  SESSION_REVOKED,
  sessionKey,
  type TokenVerifier,
  unauthenticated,
  unavailable,
} from '@iodine/service-kit'
import { LRUCache } from 'lru-cache'

/**
 * Reads Redis keys. Reads of the same turn of the event loop share one MGET. Returns null for a missing key,
 * undefined when Redis fails.
 * @param onLoss called when Redis has lost its data, and with it the tombstones of ended sessions
 */
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
      if (waiting.push({ key, resolve }) === 1) setImmediate(flush)
    })
}

/** Returns the caller of a live session's token. Throws 401, or 503 when it cannot be checked. */
export type SessionCheck = (authorization: string | undefined) => Promise<Caller>

/** Timeout of a check by auth: long enough for a busy machine, where a 503 would help nobody. */
const CHECK_MS = 10_000

/** Maximum number of sessions in the cache. */
const REMEMBERED = 20_000

/** Parses a session as auth writes it to Redis; undefined for any other value. */
const readState = (kept: string): SessionState | undefined => {
  try {
    return sessionState.safeParse(JSON.parse(kept)).data
  } catch {
    return undefined
  }
}

/**
 * Checks signature and expiry first, then looks the session up in Redis, then asks auth if Redis does not
 * know it. The token has to name the session's own user and scope: a session id with another user's name is
 * refused.
 *
 * While auth is down, a session recently seen alive stays valid, as its end would be a tombstone in Redis.
 * This requires that Redis was up without interruption. After an outage a tombstone may be missing: the cache
 * is cleared, and auth is asked for as long as entries from before the outage may be in Redis.
 */
export const createSessionCheck = (
  verify: TokenVerifier,
  redis: Redis,
  prefix: string,
  peers: Peers,
): SessionCheck => {
  // `perf: Date`, the same clock that tombstones in Redis expire by.
  const seenAlive = new LRUCache<string, SessionState>({
    max: REMEMBERED,
    ttl: SESSION_GRACE_MS,
    perf: Date,
  })
  const read = readerOf(redis, prefix, () => seenAlive.clear())
  let redisAway = false
  let distrustedUntil = 0
  redis.on('close', () => {
    redisAway = true
    seenAlive.clear()
  })
  redis.on('ready', () => {
    if (redisAway) distrustedUntil = Date.now() + SESSION_KNOWN_MS
    redisAway = false
  })
  const askAuth = async (sid: string, isRedisThere: boolean): Promise<SessionState> => {
    try {
      const state = await peers.call('auth', authInternal.checkSession, { body: { sid }, ms: CHECK_MS })
      seenAlive.set(sid, state)
      return state
    } catch (error) {
      if (error instanceof HttpError && error.status === 404) {
        seenAlive.delete(sid)
        throw unauthenticated()
      }
      // Without Redis an end of the session since then would go unnoticed.
      const state = isRedisThere ? seenAlive.get(sid) : undefined
      if (!state) throw unavailable(undefined, error)
      return state
    }
  }
  return async authorization => {
    const token = bearerToken(authorization)
    if (!token) throw unauthenticated()
    const caller = await verify(token).catch(() => {
      throw unavailable()
    })
    if (!caller) throw unauthenticated()
    const { sid } = caller
    const kept = await read(sessionKey(prefix, sid))
    if (kept === SESSION_REVOKED) {
      seenAlive.delete(sid)
      throw unauthenticated()
    }
    const known = kept && Date.now() >= distrustedUntil ? readState(kept) : undefined
    if (known) seenAlive.set(sid, known)
    const state = known ?? (await askAuth(sid, kept !== undefined))
    if (state.user_id !== caller.id || state.scope !== caller.scope) throw unauthenticated()
    return caller
  }
}
