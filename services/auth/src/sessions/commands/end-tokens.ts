import {
  byId,
  inTransaction,
  type KindSpec,
  SESSION_REVOKED,
  sessionKey,
  TOMBSTONE_MS,
} from '@iodine/service-kit'
import { type QueryFilter, Types } from 'mongoose'
import type { AuthContext } from '../../context.js'
import type { ApiTokenDoc } from '../../tokens/models/api-token.js'
import type { SessionDoc } from '../models/session.js'

/** Short: until the tombstones are written, a gateway may accept an ended token. */
const BACKOFF_MAX_MS = 2_000
/** The request completes the ends itself; the outbox only retries. */
const RETRY_AFTER_MS = 2_000

interface EndFilters {
  sessions?: QueryFilter<SessionDoc>
  apiTokens?: QueryFilter<ApiTokenDoc>
}

/**
 * Stores the end of those sessions and API tokens of a user that the filters select. The outbox then completes it.
 * @returns the number of ended sessions and tokens
 */
export const storeEnds = (
  { models, service, endings }: AuthContext,
  user_id: Types.ObjectId,
  { sessions, apiTokens }: EndFilters,
): Promise<number> =>
  inTransaction(service.mongo, async session => {
    const open = { user_id, ended_at: null }
    const end = { $set: { ended_at: new Date() } }
    let ended = 0
    if (sessions)
      ended += (await models.sessions.updateMany({ $and: [open, sessions] }, end, { session })).modifiedCount
    if (apiTokens)
      ended += (await models.apiTokens.updateMany({ $and: [open, apiTokens] }, end, { session }))
        .modifiedCount
    if (ended > 0) await endings.add({ id: user_id.toHexString() }, { dueIn: RETRY_AFTER_MS, session })
    return ended
  })

/**
 * Makes a user's ended sessions and API tokens invalid everywhere: writes their tombstones, then removes them. Rejects
 * while Redis is down. Idempotent.
 */
export const completeEnds = async (
  { config, models, service }: AuthContext,
  user_id: Types.ObjectId,
): Promise<void> => {
  const ended = { user_id, ended_at: { $ne: null } }
  const [sessions, apiTokens] = await Promise.all([
    models.sessions.find(ended).select('_id').lean<Pick<SessionDoc, '_id'>[]>(),
    models.apiTokens.find(ended).select('hash').lean<Pick<ApiTokenDoc, '_id' | 'hash'>[]>(),
  ])
  const names = [...sessions.map(({ _id }) => _id), ...apiTokens.map(({ hash }) => hash)]
  if (names.length === 0) return
  const commands = service.redis.multi()
  for (const name of names)
    commands.set(sessionKey(config.REDIS_PREFIX, name), SESSION_REVOKED, 'PX', TOMBSTONE_MS)
  for (const [error] of (await commands.exec()) ?? []) if (error) throw error
  await models.sessions.deleteMany({ _id: { $in: sessions.map(({ _id }) => _id) } })
  await models.apiTokens.deleteMany({ _id: { $in: apiTokens.map(({ _id }) => _id) } })
}

/** Creates the outbox kind that completes ends interrupted by a crash or a Redis outage. */
export const tokenEndings = (of: () => AuthContext): KindSpec<{ id: string }> => ({
  ...byId,
  concurrency: 4,
  backoffMaxMs: BACKOFF_MAX_MS,
  handle: ([user]) => completeEnds(of(), new Types.ObjectId(user?.id)),
})

/** Ends all sessions and API tokens of a user and deletes the extension code. Rejects while Redis is down. */
export const endAllTokens = async (context: AuthContext, user_id: Types.ObjectId): Promise<void> => {
  await context.models.extensionCodes.deleteOne({ _id: user_id })
  await storeEnds(context, user_id, { sessions: {}, apiTokens: {} })
  await completeEnds(context, user_id)
}
