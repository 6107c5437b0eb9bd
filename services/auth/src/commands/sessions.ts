import { createPrivateKey, createPublicKey, randomBytes } from 'node:crypto'
import { DETAILS, LIMITS } from '@iodine/contracts'
import {
  SESSION_KNOWN_MS,
  SESSION_REVOKED,
  sessionKey,
  signToken,
  TOMBSTONE_MS,
  unavailable,
} from '@iodine/service-kit'
import { exportJWK, importPKCS8 } from 'jose'
import { Types } from 'mongoose'
import type { AuthContext, SessionKeys } from '../context.js'
import type { SessionDoc } from '../models/session.js'
import type { UserDoc } from '../models/user.js'

export const readSessionKeys = async (pem: string): Promise<SessionKeys> => ({
  privateKey: await importPKCS8(pem, 'EdDSA'),
  jwks: {
    keys: [{ ...(await exportJWK(createPublicKey(createPrivateKey(pem)))), alg: 'EdDSA', use: 'sig' }],
  },
})

/** How long the one who began an end has before the repair steps in. */
const GRACE_MS = 5_000
const REPAIR_BATCH = 500

const DAY_MS = 24 * 3_600_000
const today = (): Date => new Date(Math.floor(Date.now() / DAY_MS) * DAY_MS)

/** Whether the account is open, and notes that it is used: one write a day, which also ends a warning. */
const useAccount = async ({ models }: AuthContext, userId: Types.ObjectId): Promise<boolean> => {
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

/** Opens a session and returns its token; null for an account that is suspended or deleted. */
export const openSession = async (
  context: AuthContext,
  userId: string,
  scope: SessionDoc['scope'],
): Promise<string | null> => {
  const { models, keys } = context
  const sid = randomBytes(16).toString('base64url')
  const user_id = new Types.ObjectId(userId)
  const now = Date.now()
  await models.sessions.create({
    _id: sid,
    user_id,
    scope,
    created_at: new Date(now),
    expires_at: new Date(now + LIMITS.sessionMs),
  })
  // Looked at last: an account closed before is seen here, one closed later has this session ended with the others.
  if (!(await useAccount(context, user_id))) {
    await models.sessions.deleteOne({ _id: sid })
    return null
  }
  return signToken(keys.privateKey, { id: userId, sid, scope }, LIMITS.sessionMs)
}

/** The live session with this id, and its state kept in Redis for the gateway; null when there is none. */
export const checkSession = async (context: AuthContext, sid: string) => {
  const { models, service, config } = context
  const session = await models.sessions
    .findOne({ _id: sid, expires_at: { $gt: new Date() }, ended_at: null })
    .lean<SessionDoc>()
  if (!session || !(await useAccount(context, session.user_id))) return null
  const state = { user_id: session.user_id.toHexString(), scope: session.scope }
  // Never over a tombstone: the session may have been revoked since it was read.
  // Not waited for: a Redis that hangs must not keep the answer back.
  void service.redis
    .set(sessionKey(config.REDIS_PREFIX, sid), JSON.stringify(state), 'PX', SESSION_KNOWN_MS, 'NX')
    .catch(() => {})
  return state
}

/** Tombstones, after which no token of these sessions is good anywhere. Rejects while Redis is down. */
const writeTombstones = async ({ service, config }: AuthContext, sids: string[]): Promise<void> => {
  const commands = service.redis.multi()
  for (const sid of sids)
    commands.set(sessionKey(config.REDIS_PREFIX, sid), SESSION_REVOKED, 'PX', TOMBSTONE_MS)
  for (const [error] of (await commands.exec()) ?? []) if (error) throw error
}

/**
 * Ends a session. Once this resolves its token is dead everywhere. While Redis is down it throws 503: the database has the
 * end, which `repairEnds` brings to Redis, and a gateway that doesn't ask may take the token until then.
 */
export const endSession = async (context: AuthContext, sid: string): Promise<void> => {
  const { sessions } = context.models
  await sessions.updateOne({ _id: sid, ended_at: null }, { $set: { ended_at: new Date() } })
  await writeTombstones(context, [sid]).catch(() => {
    throw unavailable(DETAILS.logoutUnfinished)
  })
  await sessions.deleteOne({ _id: sid })
}

/** Brings ends to Redis that a crash, or a Redis that was down, kept from it. Returns how many. */
export const repairEnds = async (context: AuthContext): Promise<number> => {
  const { sessions } = context.models
  const ended = await sessions
    .find({ ended_at: { $lte: new Date(Date.now() - GRACE_MS) } })
    .select('_id')
    .limit(REPAIR_BATCH)
    .lean<Pick<SessionDoc, '_id'>[]>()
  if (ended.length === 0) return 0
  const sids = ended.map(session => session._id)
  await writeTombstones(context, sids)
  await sessions.deleteMany({ _id: { $in: sids } })
  return sids.length
}

/** Ends all sessions of a user, like `endSession`. */
export const endSessions = async (context: AuthContext, userId: Types.ObjectId): Promise<void> => {
  const { sessions } = context.models
  const open = await sessions.find({ user_id: userId }).select('_id').lean<Pick<SessionDoc, '_id'>[]>()
  const sids = open.map(session => session._id)
  // Tombstones first: sessions that are still stored are found by the next try.
  await writeTombstones(context, sids)
  await sessions.deleteMany({ _id: { $in: sids } })
}
