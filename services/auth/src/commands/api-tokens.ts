import {
  API_SCOPES,
  API_TOKEN_PREFIX,
  type BodyOf,
  DETAILS,
  LIMITS,
  type profileApi,
} from '@iodine/contracts'
import {
  hashOf,
  notFound,
  SESSION_GRACE_MS,
  SESSION_KNOWN_MS,
  signToken,
  unavailable,
} from '@iodine/service-kit'
import { Types } from 'mongoose'
import type { AuthContext } from '../context.js'
import type { ApiTokenDoc } from '../models/api-token.js'
import { newToken } from './codes.js'
import { useAccount, writeTombstones } from './sessions.js'
import { addToAccount } from './slots.js'

/** How exactly the last use of a token is stored. */
const USED_MS = 60_000
/** How long services take what the gateway gets for a checked token: longer than the gateway goes by its check. */
const TOKEN_MS = SESSION_GRACE_MS + SESSION_KNOWN_MS
/** Tokens that may be used: neither revoked nor expired. */
export const liveApiTokens = (now = new Date()) => ({ ended_at: null, expires_at: { $gt: now } })

/** Time that a request has to end a token before the repair takes over. */
const GRACE_MS = 5_000
const REPAIR_BATCH = 500

/**
 * Makes a token. Only its hash is stored. Throws 413 for a user who has as many as they may, 401 for a closed account.
 * @returns the token itself, which nothing can show again
 */
export const createApiToken = async (
  context: AuthContext,
  userId: string,
  { name, scopes, expires_at }: BodyOf<typeof profileApi.createApiToken>,
): Promise<{ token: string; doc: ApiTokenDoc }> => {
  const token = API_TOKEN_PREFIX + newToken()
  const slots = { max: LIMITS.apiTokensMax, full: DETAILS.apiTokensFull }
  const doc = await addToAccount<ApiTokenDoc>(context, context.models.apiTokens, slots, {
    _id: new Types.ObjectId(),
    user_id: new Types.ObjectId(userId),
    name,
    hash: hashOf(token),
    scopes: API_SCOPES.filter(scope => scopes.includes(scope)),
    created_at: new Date(),
    expires_at: new Date(expires_at),
    last_used_at: null,
  })
  return { token, doc }
}

/** A user's tokens that are not revoked, newest first. */
export const listApiTokens = ({ models }: AuthContext, userId: string): Promise<ApiTokenDoc[]> =>
  models.apiTokens
    .find({ user_id: new Types.ObjectId(userId), ended_at: null })
    .sort({ _id: -1 })
    .lean<ApiTokenDoc[]>()

/**
 * The live token with this hash, and one for the services with its scopes; null for one that is revoked or expired, or
 * whose account is suspended, to be deleted or deleted. Its use is its user's activity.
 */
export const checkApiToken = async (context: AuthContext, hash: string) => {
  const { models, keys } = context
  const now = Date.now()
  const doc = await models.apiTokens.findOne({ hash, ...liveApiTokens(new Date(now)) }).lean<ApiTokenDoc>()
  if (!doc || (await models.users.exists({ _id: doc.user_id, delete_at: { $ne: null } }))) return null
  if (!(await useAccount(context, doc.user_id))) return null
  if ((doc.last_used_at?.getTime() ?? 0) <= now - USED_MS)
    await models.apiTokens.updateOne({ _id: doc._id }, { $set: { last_used_at: new Date(now) } })
  const { scopes, expires_at } = doc
  const [id, user_id] = [doc._id.toHexString(), doc.user_id.toHexString()]
  // A moment, not a lifetime: that would begin after the reads above, and end after the token itself.
  const end = new Date(Math.min(now + TOKEN_MS, expires_at.getTime()))
  const token = await signToken(keys.privateKey, { id: user_id, sid: id, scope: 'api', scopes }, end)
  return { id, user_id, scopes, expires_at: expires_at.toISOString(), token }
}

/**
 * Revokes a token of the user's. Once this resolves, it is dead everywhere. Throws 404, and 503 while Redis is down: the
 * database then has its end, and `repairApiTokens` writes the tombstone later. Until then a gateway that does not ask
 * this service may take it.
 */
export const revokeApiToken = async (context: AuthContext, userId: string, id: string): Promise<void> => {
  const { apiTokens } = context.models
  const doc = await apiTokens
    .findOneAndUpdate(
      { _id: new Types.ObjectId(id), user_id: new Types.ObjectId(userId) },
      { $set: { ended_at: new Date() } },
    )
    .lean<ApiTokenDoc>()
  if (!doc) throw notFound()
  await finishEnds(context, [doc]).catch(() => {
    throw unavailable(DETAILS.apiTokenRevoking)
  })
}

/** Writes the tombstones of tokens whose end is stored, and removes them. Rejects while Redis is down. */
const finishEnds = async (context: AuthContext, tokens: Pick<ApiTokenDoc, '_id' | 'hash'>[]) => {
  if (tokens.length === 0) return
  await writeTombstones(
    context,
    tokens.map(({ hash }) => hash),
  )
  await context.models.apiTokens.deleteMany({ _id: { $in: tokens.map(({ _id }) => _id) } })
}

/** Writes the tombstones of a user's tokens whose end is stored. */
const finishUserEnds = async (context: AuthContext, user_id: Types.ObjectId): Promise<void> => {
  const { apiTokens } = context.models
  await finishEnds(context, await apiTokens.find({ user_id, ended_at: { $ne: null } }).lean<ApiTokenDoc[]>())
}

/** Revokes all tokens of a user, also expired ones. Rejects while Redis is down, as `revokeApiToken` does. */
export const endUserApiTokens = async (context: AuthContext, user_id: Types.ObjectId): Promise<void> => {
  const { apiTokens } = context.models
  await apiTokens.updateMany({ user_id, ended_at: null }, { $set: { ended_at: new Date() } })
  await finishUserEnds(context, user_id)
}

/**
 * Revokes the valid tokens of a user. Once this resolves, they are dead everywhere. Throws 503 while Redis is down, like
 * `revokeApiToken`.
 * @returns their number
 */
export const revokeUserApiTokens = async (context: AuthContext, user_id: Types.ObjectId): Promise<number> => {
  const { modifiedCount } = await context.models.apiTokens.updateMany(
    { user_id, ...liveApiTokens() },
    { $set: { ended_at: new Date() } },
  )
  await finishUserEnds(context, user_id).catch(() => {
    throw unavailable(DETAILS.tokensRevoking)
  })
  return modifiedCount
}

/** Ends tokens whose end a crash or a Redis outage interrupted. Returns their number. */
export const repairApiTokens = async (context: AuthContext): Promise<number> => {
  const ended = await context.models.apiTokens
    .find({ ended_at: { $lte: new Date(Date.now() - GRACE_MS) } })
    .select('hash')
    .limit(REPAIR_BATCH)
    .lean<ApiTokenDoc[]>()
  await finishEnds(context, ended)
  return ended.length
}
