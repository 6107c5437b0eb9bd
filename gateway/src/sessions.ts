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

/** Returns the caller of a live session's token. Throws 401 for an invalid token, 503 if it cannot be checked. */
export type SessionCheck = (authorization: string | undefined) => Promise<Caller>

/** Timeout of a check by auth, also on a busy machine. */
const CHECK_MS = 10_000

/** Maximum number of sessions in the cache. */
const CACHE_MAX = 20_000

/** Parses a session as auth writes it to Redis; undefined for any other value. */
const readState = (kept: string): SessionState | undefined => {
  try {
    return sessionState.safeParse(JSON.parse(kept)).data
  } catch {
    return undefined
  }
}

/**
 * Creates the check of sessions. It verifies signature and expiry, looks the session up in Redis, and queries auth if
 * Redis has no state of it. The token's user and scope have to be those of the session.
 *
 * While auth is down, a cached session stays valid: its end would have left a tombstone in Redis. This requires that
 * Redis was up without interruption.
 */
export const createSessionCheck = (
  verify: TokenVerifier,
  states: SessionStates,
  peers: Peers,
): SessionCheck => {
  // `perf: Date`, the same clock that tombstones in Redis expire by.
  const cache = new LRUCache<string, SessionState>({
    max: CACHE_MAX,
    ttl: SESSION_GRACE_MS,
    perf: Date,
  })
  states.onLoss(() => cache.clear())
  const askAuth = async (sid: string, isRedisThere: boolean): Promise<SessionState> => {
    const losses = states.losses()
    try {
      const state = await peers.call('auth', authInternal.checkSession, { body: { sid }, ms: CHECK_MS })
      // The session may have ended without a tombstone if Redis disconnected meanwhile.
      if (losses === states.losses()) cache.set(sid, state)
      return state
    } catch (error) {
      if (error instanceof HttpError && error.status === 404) {
        cache.delete(sid)
        throw unauthenticated()
      }
      // Without Redis a later end of the session would be missed.
      const state = isRedisThere ? cache.get(sid) : undefined
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
    // The tokens that services receive for feed keys and API tokens are no sessions.
    if (!caller || caller.scope === 'feed' || caller.scope === 'api') throw unauthenticated()
    const { sid } = caller
    const kept = await states.read(sid)
    if (kept === SESSION_REVOKED) {
      cache.delete(sid)
      throw unauthenticated()
    }
    const known = kept && states.isTrusted() ? readState(kept) : undefined
    if (known) cache.set(sid, known)
    const state = known ?? (await askAuth(sid, kept !== undefined))
    if (state.user_id !== caller.id || state.scope !== caller.scope) throw unauthenticated()
    return caller
  }
}
