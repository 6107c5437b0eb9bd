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
 * Reads keys of Redis, those asked for in the same turn of the event loop by one command; null where there is nothing,
 * undefined where there is no Redis.
 * @param onLoss Redis has lost its data: it does not know any more what was ended
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

/** Whose live session's token a request carries; throws 401, or 503 when nobody can tell. */
export type SessionCheck = (authorization: string | undefined) => Promise<Caller>

/** Sessions remembered at a time. */
const REMEMBERED = 20_000

/** What Redis keeps of a session, in auth's words; undefined for anything else. */
const readState = (kept: string): SessionState | undefined => {
  try {
    return sessionState.safeParse(JSON.parse(kept)).data
  } catch {
    return undefined
  }
}

/**
 * Signature and expiry first, then Redis for whether the session lives, then, where Redis doesn't know, auth. The token
 * has to name the session's own user and scope: a session id alone, with another's name in the token, opens nothing.
 *
 * While auth is down, a session that was alive a short while ago still is: its end would stand in Redis. That holds for as
 * long as Redis was there. Where it was away, an end may not have reached it: what was seen before counts no more, and for as
 * long as answers of before may stand in Redis, auth is asked instead.
 */
export const createSessionCheck = (
  verify: TokenVerifier,
  redis: Redis,
  prefix: string,
  peers: Peers,
): SessionCheck => {
  // By the clock that their ends in Redis expire by.
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
      const state = await peers.call('auth', authInternal.checkSession, { body: { sid } })
      seenAlive.set(sid, state)
      return state
    } catch (error) {
      if (error instanceof HttpError && error.status === 404) {
        seenAlive.delete(sid)
        throw unauthenticated()
      }
      // Without Redis nobody could tell that it was ended meanwhile.
      const state = isRedisThere ? seenAlive.get(sid) : undefined
      if (!state) throw unavailable()
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
