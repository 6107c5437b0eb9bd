/** Redis key under which a session's state is kept: what auth writes and the gateway reads. */
export const sessionKey = (prefix: string, sid: string): string => `${prefix}:session:${sid}`

/** Redis key of a random value that lives as long as Redis' data: without it, or with another, tombstones may be lost. */
export const memoryKey = (prefix: string): string => `${prefix}:memory`

/** Stands under the key of a session that was ended. */
export const SESSION_REVOKED = 'revoked'

/** For how long Redis answers for auth's database. */
export const SESSION_KNOWN_MS = 60_000

/** How long a tombstone stands: longer than any answer of before may count. */
export const TOMBSTONE_MS = 15 * 60_000

/** For how long a session that was seen alive may count as such while the auth service is down: well within a tombstone's time. */
export const SESSION_GRACE_MS = 10 * 60_000
