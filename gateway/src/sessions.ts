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

/**
 * Reads keys of Redis, those asked for in the same turn of the event loop by one command; null where there is nothing,
 * or no Redis.
 */
const readerOf = (redis: Redis): ((key: string) => Promise<string | null>) => {
  let waiting: { key: string; resolve: (value: string | null) => void }[] = []
  const flush = () => {
    const asked = waiting
    waiting = []
    redis.mget(asked.map(({ key }) => key)).then(
      values => {
        for (const [index, { resolve }] of asked.entries()) resolve(values[index] ?? null)
      },
      () => {
        for (const { resolve } of asked) resolve(null)
      },
    )
  }
  return key =>
    new Promise(resolve => {
      if (waiting.push({ key, resolve }) === 1) setImmediate(flush)
    })
}

/** Lets a request pass that carries a live session's token; throws 401, or 503 when nobody can tell. */
export type SessionCheck = (authorization: string | undefined) => Promise<void>

/** Signature and expiry first, then Redis for whether the session lives, then, where Redis doesn't know, auth. */
export const createSessionCheck = (
  verify: TokenVerifier,
  redis: Redis,
  prefix: string,
  peers: Peers,
): SessionCheck => {
  const read = readerOf(redis)
  return async authorization => {
    const token = bearerToken(authorization)
    if (!token) throw unauthenticated()
    const caller = await verify(token).catch(() => {
      throw unavailable()
    })
    if (!caller) throw unauthenticated()
    const state = await read(sessionKey(prefix, caller.sid))
    if (state === SESSION_REVOKED) throw unauthenticated()
    if (state) return
    await peers.call('auth', authInternal.checkSession, { body: { sid: caller.sid } }).catch(error => {
      throw error instanceof HttpError && error.status === 404 ? unauthenticated() : unavailable()
    })
  }
}
