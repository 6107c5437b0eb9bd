import { API_TOKEN_PREFIX, authInternal } from '@iodine/contracts'
import {
  bearerToken,
  type Caller,
  createSingleFlight,
  HttpError,
  hashOf,
  type Peers,
  SESSION_CACHE_MS,
  SESSION_GRACE_MS,
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
const CACHE_MAX = 20_000

/** A live API token: its user, and the service token that the gateway forwards in its place. */
export interface CheckedToken {
  caller: Caller
  token: string
}
interface CachedToken extends CheckedToken {
  expiresAt: number
  checkedAt: number
}

/**
 * Returns the user, the scopes and the service token of a live API token.
 * @param mayAsk throws for a client that has tried too many unknown tokens
 * @throws HttpError 401 for an invalid token, 503 if it cannot be checked
 */
export type ApiTokenCheck = (
  authorization: string | undefined,
  mayAsk: () => Promise<void>,
) => Promise<CheckedToken>

export const isApiToken = (authorization: string | undefined): boolean =>
  bearerToken(authorization)?.startsWith(API_TOKEN_PREFIX) ?? false

/**
 * Creates the check of API tokens. It queries auth about a token once a minute, and Redis for a tombstone at each
 * request: a revocation takes effect at once. While auth or Redis is down, it behaves like `createSessionCheck`.
 */
export const createApiTokenCheck = (states: SessionStates, peers: Peers): ApiTokenCheck => {
  // `perf: Date`, the same clock that tombstones in Redis expire by.
  const cache = new LRUCache<string, CachedToken>({ max: CACHE_MAX, ttl: SESSION_GRACE_MS, perf: Date })
  states.onLoss(() => cache.clear())
  const once = createSingleFlight<string, CachedToken>()
  const askAuth = async (hash: string): Promise<CachedToken> => {
    const losses = states.losses()
    const { id, user_id, scopes, expires_at, token } = await peers.call('auth', authInternal.checkApiToken, {
      body: { hash },
      ms: CHECK_MS,
    })
    const known: CachedToken = {
      caller: { id: user_id, sid: id, scope: 'api', scopes },
      token,
      expiresAt: Date.parse(expires_at),
      checkedAt: Date.now(),
    }
    // The token may be revoked without a tombstone if Redis disconnected meanwhile.
    if (losses === states.losses()) cache.set(hash, known)
    return known
  }
  const check = async (hash: string, mayAsk: () => Promise<void>): Promise<CachedToken> => {
    const kept = await states.read(hash)
    if (kept === SESSION_REVOKED) {
      cache.delete(hash)
      throw unauthenticated()
    }
    // Without Redis a later revocation would be missed.
    const known = kept === undefined ? undefined : cache.get(hash)
    if (known && states.isTrusted() && Date.now() - known.checkedAt < SESSION_CACHE_MS) return known
    if (!known) await mayAsk()
    try {
      return await once(hash, () => askAuth(hash))
    } catch (error) {
      if (error instanceof HttpError && error.status === 404) {
        cache.delete(hash)
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
