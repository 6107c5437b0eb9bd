/** Redis key under which a session's state is kept: what auth writes and the gateway reads. */
export const sessionKey = (prefix: string, sid: string): string => `${prefix}:session:${sid}`

/** Stands under the key of a session that was ended. */
export const SESSION_REVOKED = 'revoked'
