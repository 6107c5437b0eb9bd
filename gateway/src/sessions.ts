import { authInternal, type SessionState, sessionState } from '@iodine/contracts'
import {
  bearerToken,
  type Caller,
  HttpError,
  type Peers,
  SESSION_GRACE_MS,
  SESSION_REVOKED,
  type TokenVerifier,
  unauthenticated,
  unavailable,
} from '@iodine/service-kit'
import { LRUCache } from 'lru-cache'
import type { SessionStates } from './session-states.js'

/** Returns the caller of a live session's token. Throws 401, or 503 when it cannot be checked. */
export type SessionCheck = (authorization: string | undefined) => Promise<Caller>

/** Timeout of a check by auth, also on a busy machine. */
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
 * This requires that Redis was up without interruption.
 */
export const createSessionCheck = (
  verify: TokenVerifier,
  states: SessionStates,
  peers: Peers,
): SessionCheck => {
  // `perf: Date`, the same clock that tombstones in Redis expire by.
  const seenAlive = new LRUCache<string, SessionState>({
    max: REMEMBERED,
    ttl: SESSION_GRACE_MS,
    perf: Date,
  })
  states.onLoss(() => seenAlive.clear())
  const askAuth = async (sid: string, isRedisThere: boolean): Promise<SessionState> => {
    const losses = states.losses()
    try {
      const state = await peers.call('auth', authInternal.checkSession, { body: { sid }, ms: CHECK_MS })
      // Ended since, without a tombstone, if Redis was away meanwhile.
      if (losses === states.losses()) seenAlive.set(sid, state)
      return state
    } catch (error) {
      if (error instanceof HttpError && error.status === 404) {
        seenAlive.delete(sid)
        throw unauthenticated()
      }
      // Without Redis the end of a session since then would be missed.
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
    // What services get for a feed key or an API token is no session.
    if (!caller || caller.scope === 'feed' || caller.scope === 'api') throw unauthenticated()
    const { sid } = caller
    const kept = await states.read(sid)
    if (kept === SESSION_REVOKED) {
      seenAlive.delete(sid)
      throw unauthenticated()
    }
    const known = kept && states.isTrusted() ? readState(kept) : undefined
    if (known) seenAlive.set(sid, known)
    const state = known ?? (await askAuth(sid, kept !== undefined))
    if (state.user_id !== caller.id || state.scope !== caller.scope) throw unauthenticated()
    return caller
  }
}
