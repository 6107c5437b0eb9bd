import { createPrivateKey, createPublicKey, randomBytes } from 'node:crypto'
import { LIMITS } from '@iodine/contracts'
import { SESSION_REVOKED, sessionKey, signToken } from '@iodine/service-kit'
import { exportJWK, importPKCS8 } from 'jose'
import { Types } from 'mongoose'
import type { AuthContext, SessionKeys } from '../context.js'
import type { SessionDoc } from '../models/session.js'

export const readSessionKeys = async (pem: string): Promise<SessionKeys> => ({
  privateKey: await importPKCS8(pem, 'EdDSA'),
  jwks: {
    keys: [{ ...(await exportJWK(createPublicKey(createPrivateKey(pem)))), alg: 'EdDSA', use: 'sig' }],
  },
})

/** For how long Redis answers for the database; a tombstone outlasts every answer that was under way. */
const KNOWN_SECONDS = 60
const TOMBSTONE_SECONDS = 120

/** Opens a session and returns its token. */
export const openSession = async (
  { models, keys }: AuthContext,
  userId: string,
  scope: SessionDoc['scope'],
): Promise<string> => {
  const sid = randomBytes(16).toString('base64url')
  const now = Date.now()
  await models.sessions.create({
    _id: sid,
    user_id: new Types.ObjectId(userId),
    scope,
    created_at: new Date(now),
    expires_at: new Date(now + LIMITS.sessionMs),
  })
  return signToken(keys.privateKey, { id: userId, sid, scope }, LIMITS.sessionMs)
}

/** The live session with this id, and its state kept in Redis for the gateway; null when there is none. */
export const checkSession = async ({ models, service, config }: AuthContext, sid: string) => {
  const session = await models.sessions
    .findOne({ _id: sid, expires_at: { $gt: new Date() } })
    .lean<SessionDoc>()
  if (!session) return null
  const state = { user_id: session.user_id.toHexString(), scope: session.scope }
  // Never over a tombstone: the session may have been revoked since it was read.
  await service.redis
    .set(sessionKey(config.REDIS_PREFIX, sid), JSON.stringify(state), 'EX', KNOWN_SECONDS, 'NX')
    .catch(() => {})
  return state
}

/** Ends a session; once this resolves its token is dead everywhere. Rejects while Redis is down, after which a new try does it. */
export const endSession = async ({ models, service, config }: AuthContext, sid: string): Promise<void> => {
  await models.sessions.deleteOne({ _id: sid })
  await service.redis.set(sessionKey(config.REDIS_PREFIX, sid), SESSION_REVOKED, 'EX', TOMBSTONE_SECONDS)
}
