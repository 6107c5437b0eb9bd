import { authInternal } from '@iodine/contracts'
import {
  bearerToken,
  HttpError,
  type Peers,
  type Redis,
  SESSION_REVOKED,
  sessionKey,
  type TokenVerifier,
  unauthenticated,
  unavailable,
} from '@iodine/service-kit'

/** Lets a request pass that carries a live session's token; throws 401, or 503 when nobody can tell. */
export type SessionCheck = (authorization: string | undefined) => Promise<void>

/** Signature and expiry first, then Redis for whether the session lives, then, where Redis doesn't know, auth. */
export const createSessionCheck = (
  verify: TokenVerifier,
  redis: Redis,
  prefix: string,
  peers: Peers,
): SessionCheck => {
  return async authorization => {
    const token = bearerToken(authorization)
    if (!token) throw unauthenticated()
    const caller = await verify(token).catch(() => {
      throw unavailable()
    })
    if (!caller) throw unauthenticated()
    const state = await redis.get(sessionKey(prefix, caller.sid)).catch(() => null)
    if (state === SESSION_REVOKED) throw unauthenticated()
    if (state) return
    await peers.call('auth', authInternal.checkSession, { body: { sid: caller.sid } }).catch(error => {
      throw error instanceof HttpError && error.status === 404 ? unauthenticated() : unavailable()
    })
  }
}
