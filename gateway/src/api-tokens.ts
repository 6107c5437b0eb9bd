import { API_TOKEN_PREFIX, authInternal } from '@iodine/contracts'
import {
  bearerToken,
  type Caller,
  createSingleFlight,
  HttpError,
  hashOf,
  type Peers,
  SESSION_GRACE_MS,
  SESSION_KNOWN_MS,
  SESSION_REVOKED,
  unauthenticated,
  unavailable,
} from '@iodine/service-kit'
import { LRUCache } from 'lru-cache'
import type { SessionStates } from './session-states.js'

/** Form of the tokens that auth issues; others are refused without a query. */
const FORM = new RegExp(`^${API_TOKEN_PREFIX}[\\w-]{43}$`)
const CHECK_MS = 10_000
/** Maximum number of tokens in the cache. */
const REMEMBERED = 20_000

/** A live API token: its user, and the token that services accept in its place. */
export interface CheckedToken {
  caller: Caller
  token: string
}
interface Known extends CheckedToken {
  expiresAt: number
  checkedAt: number
}

/**
 * Returns the user and scopes of a live API token. Throws 401, or 503 when it cannot be checked.
 * @param mayAsk throws for a client that has tried too many unknown ones
 */
export type ApiTokenCheck = (
  authorization: string | undefined,
  mayAsk: () => Promise<void>,
) => Promise<CheckedToken>

export const isApiToken = (authorization: string | undefined): boolean =>
  bearerToken(authorization)?.startsWith(API_TOKEN_PREFIX) ?? false

/**
 * Asks auth about a token once a minute. At each request Redis is asked for a tombstone, so that one that is revoked
 * is dead at once. While auth or Redis is down, tokens are taken and refused like sessions (`createSessionCheck`).
 */
export const createApiTokenCheck = (states: SessionStates, peers: Peers): ApiTokenCheck => {
  // `perf: Date`, the same clock that tombstones in Redis expire by.
  const seenAlive = new LRUCache<string, Known>({ max: REMEMBERED, ttl: SESSION_GRACE_MS, perf: Date })
  states.onLoss(() => seenAlive.clear())
  const once = createSingleFlight<string, Known>()
  const askAuth = async (hash: string): Promise<Known> => {
    const losses = states.losses()
    const { id, user_id, scopes, expires_at, token } = await peers.call('auth', authInternal.checkApiToken, {
      body: { hash },
      ms: CHECK_MS,
    })
    const known: Known = {
      caller: { id: user_id, sid: id, scope: 'api', scopes },
      token,
      expiresAt: Date.parse(expires_at),
      checkedAt: Date.now(),
    }
    // Revoked since, without a tombstone, if Redis was away meanwhile.
    if (losses === states.losses()) seenAlive.set(hash, known)
    return known
  }
  const check = async (hash: string, mayAsk: () => Promise<void>): Promise<Known> => {
    const kept = await states.read(hash)
    if (kept === SESSION_REVOKED) {
      seenAlive.delete(hash)
      throw unauthenticated()
    }
    // Without Redis a revocation since then would be missed.
    const known = kept === undefined ? undefined : seenAlive.get(hash)
    if (known && states.isTrusted() && Date.now() - known.checkedAt < SESSION_KNOWN_MS) return known
    if (!known) await mayAsk()
    try {
      return await once(hash, () => askAuth(hash))
    } catch (error) {
      if (error instanceof HttpError && error.status === 404) {
        seenAlive.delete(hash)
        throw unauthenticated()
      }
      if (!known) throw unavailable(undefined, error)
      return known
    }
  }
  return async (authorization, mayAsk) => {
    const given = bearerToken(authorization)
    if (!given || !FORM.test(given)) throw unauthenticated()
    const { caller, token, expiresAt } = await check(hashOf(given), mayAsk)
    if (expiresAt <= Date.now()) throw unauthenticated()
    return { caller, token }
  }
}
