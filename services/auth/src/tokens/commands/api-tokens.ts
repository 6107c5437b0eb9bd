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
  SESSION_CACHE_MS,
  SESSION_GRACE_MS,
  signToken,
  unavailable,
} from '@iodine/service-kit'
import { Types } from 'mongoose'
import { newToken } from '../../codes.js'
import type { AuthContext } from '../../context.js'
import { completeEnds, storeEnds } from '../../sessions/commands/end-tokens.js'
import { useAccount } from '../../sessions/commands/sessions.js'
import { type ApiTokenDoc, liveApiTokens } from '../models/api-token.js'
import { addToAccount } from './slots.js'

/** Precision in milliseconds of the stored last use of a token. */
const USE_PRECISION_MS = 60_000
/** Lifetime of the service token: exceeds the time for which the gateway caches a check. */
const TOKEN_MS = SESSION_GRACE_MS + SESSION_CACHE_MS
/**
 * Creates a token and stores only its hash. Throws 413 past the limit of the user, 401 for a closed account.
 * @returns the token, which cannot be shown again
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

/** Returns a user's tokens that are not revoked, newest first. */
export const listApiTokens = ({ models }: AuthContext, userId: string): Promise<ApiTokenDoc[]> =>
  models.apiTokens
    .find({ user_id: new Types.ObjectId(userId), ended_at: null })
    .sort({ _id: -1 })
    .lean<ApiTokenDoc[]>()

/**
 * Returns the live token with this hash, and a service token with its scopes; null for a revoked or expired token, and
 * for an account that is suspended, deleted or scheduled for deletion. Counts as activity of the user.
 */
export const checkApiToken = async (context: AuthContext, hash: string) => {
  const { models, keys } = context
  const now = Date.now()
  const doc = await models.apiTokens.findOne({ hash, ...liveApiTokens(new Date(now)) }).lean<ApiTokenDoc>()
  if (!doc || (await models.users.exists({ _id: doc.user_id, delete_at: { $ne: null } }))) return null
  if (!(await useAccount(context, doc.user_id))) return null
  if ((doc.last_used_at?.getTime() ?? 0) <= now - USE_PRECISION_MS)
    await models.apiTokens.updateOne({ _id: doc._id }, { $set: { last_used_at: new Date(now) } })
  const { scopes, expires_at } = doc
  const [id, user_id] = [doc._id.toHexString(), doc.user_id.toHexString()]
  // An absolute time: a lifetime would start after the reads above and could end after the token.
  const end = new Date(Math.min(now + TOKEN_MS, expires_at.getTime()))
  const token = await signToken(keys.privateKey, { id: user_id, sid: id, scope: 'api', scopes }, end)
  return { id, user_id, scopes, expires_at: expires_at.toISOString(), token }
}

/**
 * Revokes a token of the user. Once this resolves, it is invalid everywhere. Throws 404, and 503 while Redis is down:
 * the end is then stored in the database, and the outbox completes it. Until then a gateway that does not query this
 * service may accept the token.
 */
export const revokeApiToken = async (context: AuthContext, userId: string, id: string): Promise<void> => {
  const [_id, user_id] = [new Types.ObjectId(id), new Types.ObjectId(userId)]
  if (!(await context.models.apiTokens.exists({ _id, user_id }))) throw notFound()
  await storeEnds(context, user_id, { apiTokens: { _id } })
  await completeEnds(context, user_id).catch(() => {
    throw unavailable(DETAILS.apiTokenRevoking)
  })
}

/**
 * Revokes the valid tokens of a user. Once this resolves, they are invalid everywhere. Throws 503 while Redis is down,
 * like `revokeApiToken`.
 * @returns their number
 */
export const revokeUserApiTokens = async (context: AuthContext, user_id: Types.ObjectId): Promise<number> => {
  const revoked = await storeEnds(context, user_id, { apiTokens: liveApiTokens() })
  await completeEnds(context, user_id).catch(() => {
    throw unavailable(DETAILS.tokensRevoking)
  })
  return revoked
}
