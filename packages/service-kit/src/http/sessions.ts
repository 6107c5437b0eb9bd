/** Redis key of a session's state: written by auth, read by the gateway. */
export const sessionKey = (prefix: string, sid: string): string => `${prefix}:session:${sid}`

/**
 * Redis key of a random value that is lost with Redis' data: if it is missing or differs, tombstones may be
 * lost.
 */
export const redisEpochKey = (prefix: string): string => `${prefix}:memory`

/** Tombstone: value stored for a revoked session. */
export const SESSION_REVOKED = 'revoked'

/** How long a session state cached in Redis is valid without a query of auth's database. */
export const SESSION_CACHE_MS = 60_000

/** Lifetime of a tombstone: longer than any cached session state is valid. */
export const TOMBSTONE_MS = 15 * 60_000

/**
 * How long a session last seen alive is accepted while the auth service is down: well below the tombstone's
 * lifetime.
 */
export const SESSION_GRACE_MS = 10 * 60_000
