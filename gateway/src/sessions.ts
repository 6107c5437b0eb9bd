import { randomUUID } from 'node:crypto'
import { authInternal } from '@iodine/contracts'
import {
  bearerToken,
  type Caller,
  HttpError,
  memoryKey,
  type Peers,
  type Redis,
  SESSION_GRACE_MS,
  SESSION_REVOKED,
  sessionKey,
  type TokenVerifier,
  unauthenticated,
  unavailable,
} from '@iodine/service-kit'

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

/**
 * Signature and expiry first, then Redis for whether the session lives, then, where Redis doesn't know, auth. While auth is
 * down, a session that was alive a short while ago still is: its end would stand in Redis.
 */
export const createSessionCheck = (
  verify: TokenVerifier,
  redis: Redis,
  prefix: string,
  peers: Peers,
): SessionCheck => {
  /** When sessions were last seen alive, the longest ago first. */
  const alive = new Map<string, number>()
  const read = readerOf(redis, prefix, () => alive.clear())
  const sawAlive = (sid: string) => {
    alive.delete(sid)
    if (alive.size >= REMEMBERED) alive.delete(alive.keys().next().value as string)
    alive.set(sid, Date.now())
  }
  return async authorization => {
    const token = bearerToken(authorization)
    if (!token) throw unauthenticated()
    const caller = await verify(token).catch(() => {
      throw unavailable()
    })
    if (!caller) throw unauthenticated()
    const state = await read(sessionKey(prefix, caller.sid))
    if (state === SESSION_REVOKED) throw unauthenticated()
    if (state) {
      sawAlive(caller.sid)
      return caller
    }
    try {
      await peers.call('auth', authInternal.checkSession, { body: { sid: caller.sid } })
      sawAlive(caller.sid)
    } catch (error) {
      if (error instanceof HttpError && error.status === 404) throw unauthenticated()
      // Without Redis nobody could tell that it was ended meanwhile.
      if (state === undefined || Date.now() - (alive.get(caller.sid) ?? 0) > SESSION_GRACE_MS)
        throw unavailable()
    }
    return caller
  }
}
