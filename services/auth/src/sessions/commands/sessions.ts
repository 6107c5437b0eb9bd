import { createPrivateKey, createPublicKey, randomBytes } from 'node:crypto'
import { DETAILS, LIMITS } from '@iodine/contracts'
import { SESSION_CACHE_MS, sessionKey, signingKeysOf, signToken, unavailable } from '@iodine/service-kit'
import { calculateJwkThumbprint, exportJWK, importPKCS8 } from 'jose'
import { type QueryFilter, Types } from 'mongoose'
import type { UserDoc } from '../../accounts/models/user.js'
import type { AuthContext, SessionKeys } from '../../context.js'
import { kindOf, type SessionDoc } from '../models/session.js'
import { deviceOf } from './devices.js'
import { completeEnds, storeEnds } from './end-tokens.js'

/**
 * Reads `JWT_PRIVATE_KEY`. A key's id is the thumbprint of its public half (RFC 7638), the same in each process.
 */
export const readSessionKeys = async (setting: string): Promise<SessionKeys> => {
  const [first, ...others] = await Promise.all(
    signingKeysOf(setting).map(async pem => {
      const jwk = await exportJWK(createPublicKey(createPrivateKey(pem)))
      const kid = await calculateJwkThumbprint(jwk)
      return { pem, kid, jwk: { ...jwk, kid, alg: 'EdDSA', use: 'sig' } }
    }),
  )
  if (!first) throw new Error('JWT_PRIVATE_KEY holds no key')
  return {
    privateKey: { kid: first.kid, key: await importPKCS8(first.pem, 'EdDSA') },
    jwks: { keys: [first, ...others].map(({ jwk }) => jwk) },
  }
}

/** Minimum interval between records of a session's use. */
const SEEN_EVERY_MS = 5 * 60_000

/** Returns the time at which a session used now expires without further use. */
const endOf = (session: Pick<SessionDoc, 'scope' | 'created_at'>, now: number): Date =>
  new Date(
    Math.min(session.created_at.getTime() + LIMITS.sessionMs, now + LIMITS.idleSessionMs[kindOf(session)]),
  )

const DAY_MS = 24 * 3_600_000
const today = (): Date => new Date(Math.floor(Date.now() / DAY_MS) * DAY_MS)

/** Returns true for an open account. Records its use (one write a day), which clears an inactivity warning. */
export const useAccount = async ({ models }: AuthContext, userId: Types.ObjectId): Promise<boolean> => {
  const user = await models.users
    .findById(userId)
    .select('suspended_at deleted_at last_active_at')
    .lean<UserDoc>()
  if (!user || user.suspended_at || user.deleted_at) return false
  if (user.last_active_at < today())
    await models.users.updateOne(
      { _id: userId, deleted_at: null },
      {
        $set: { last_active_at: new Date() },
        $unset: { warning_queued_at: 1, warning_taken_at: 1, warning_refused: 1 },
      },
    )
  return true
}

export interface SessionInput extends Pick<SessionDoc, 'scope' | 'by'> {
  userId: string
  /** User agent header: the session list shows its browser and system. */
  userAgent: string | undefined
  /** Returns whether the means of sign-in is still valid. Called once the session is stored. */
  isValid?: (() => Promise<boolean>) | undefined
}

/**
 * Opens a session and returns its token; null for a suspended or deleted account, or if `isValid` returns false. Ends
 * the oldest sessions past the limit.
 */
export const openSession = async (
  context: AuthContext,
  { userId, scope, by, userAgent, isValid = async () => true }: SessionInput,
): Promise<string | null> => {
  const { models, keys } = context
  const sid = randomBytes(16).toString('base64url')
  const user_id = new Types.ObjectId(userId)
  const created_at = new Date()
  await models.sessions.create({
    _id: sid,
    user_id,
    scope,
    by,
    ...deviceOf(userAgent),
    created_at,
    expires_at: endOf({ scope, created_at }, created_at.getTime()),
  })
  // Checked after the insert: an account closed before is detected here; closing it later ends this session with the
  // others.
  if (!(await useAccount(context, user_id)) || !(await isValid())) {
    await models.sessions.deleteOne({ _id: sid })
    return null
  }
  await endSurplus(context, user_id)
  return signToken(keys.privateKey, { id: userId, sid, scope }, LIMITS.sessionMs)
}

/** Ends the oldest sessions of a user past the limit, also while Redis is down. */
const endSurplus = async (context: AuthContext, user_id: Types.ObjectId): Promise<void> => {
  const surplus = await context.models.sessions
    .find({ user_id, ended_at: null })
    .sort({ created_at: -1, _id: 1 })
    .skip(LIMITS.sessionsMax)
    .select('_id')
    .lean<Pick<SessionDoc, '_id'>[]>()
  if (surplus.length > 0)
    await endEventually(context, user_id, { _id: { $in: surplus.map(({ _id }) => _id) } })
}

/** Records the use of a session, which defers its expiry. */
const seeSession = async ({ models }: AuthContext, session: SessionDoc): Promise<void> => {
  const now = Date.now()
  if (now - (session.last_seen_at ?? session.created_at).getTime() < SEEN_EVERY_MS) return
  await models.sessions.updateOne(
    { _id: session._id, ended_at: null },
    { $set: { last_seen_at: new Date(now), expires_at: endOf(session, now) } },
  )
}

/** Returns the state of the live session with this id; null if there is none. Caches it in Redis for the gateway. */
export const checkSession = async (context: AuthContext, sid: string) => {
  const { models, service, config } = context
  const session = await models.sessions
    .findOne({ _id: sid, expires_at: { $gt: new Date() }, ended_at: null })
    .lean<SessionDoc>()
  if (!session || !(await useAccount(context, session.user_id))) return null
  await seeSession(context, session)
  const state = { user_id: session.user_id.toHexString(), scope: session.scope }
  // NX never overwrites a tombstone: the session may have been revoked since the read.
  // Not awaited: a hanging Redis must not delay the answer.
  void service.redis
    .set(sessionKey(config.REDIS_PREFIX, sid), JSON.stringify(state), 'PX', SESSION_CACHE_MS, 'NX')
    .catch(() => {})
  return state
}

/**
 * Ends a session of a user. Once this resolves, its token is invalid everywhere. Throws 503 while Redis is down: the
 * end is then stored in the database, and the outbox completes it. Until then a gateway that does not query this
 * service may accept the token.
 */
export const endSession = async (
  context: AuthContext,
  user_id: Types.ObjectId,
  sid: string,
): Promise<void> => {
  await storeEnds(context, user_id, { sessions: { _id: sid } })
  await completeEnds(context, user_id).catch(() => {
    throw unavailable(DETAILS.logoutUnfinished)
  })
}

/**
 * Ends all sessions of a user, or all but one, like `endSession`. Deletes the extension code, which one of them may
 * have created. Returns the number of ended sessions.
 */
export const endSessions = async (
  context: AuthContext,
  user_id: Types.ObjectId,
  exceptSid?: string,
): Promise<number> => {
  await context.models.extensionCodes.deleteOne({ _id: user_id })
  const ended = await storeEnds(context, user_id, {
    sessions: exceptSid === undefined ? {} : { _id: { $ne: exceptSid } },
  })
  await completeEnds(context, user_id)
  return ended
}

const endEventually = async (
  context: AuthContext,
  user_id: Types.ObjectId,
  sessions: QueryFilter<SessionDoc>,
): Promise<void> => {
  await storeEnds(context, user_id, { sessions })
  await completeEnds(context, user_id).catch(error =>
    context.service.log.warn({ err: error }, 'tombstones not written yet'),
  )
}

/** Ends all sessions of a user like `endSessions`, also while Redis is down: the outbox then completes it. */
export const endSessionsEventually = async (context: AuthContext, user_id: Types.ObjectId): Promise<void> => {
  await context.models.extensionCodes.deleteOne({ _id: user_id })
  await endEventually(context, user_id, {})
}
