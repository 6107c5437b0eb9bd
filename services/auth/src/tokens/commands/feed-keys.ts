import { type BodyOf, DETAILS, LIMITS, type profileApi, rankOfTlp, tlpOfRank } from '@iodine/contracts'
import { hashOf, notFound, signToken } from '@iodine/service-kit'
import { Types } from 'mongoose'
import type { UserDoc } from '../../accounts/models/user.js'
import { newToken } from '../../codes.js'
import type { AuthContext } from '../../context.js'
import { type FeedKeyDoc, liveFeedKeys } from '../models/feed-key.js'
import { addToAccount } from './slots.js'

/** Begins each key, so that tools which look for leaked secrets find it. */
const PREFIX = 'iodine_feed_'
/** How long services take the token of a checked key. */
const TOKEN_MS = 60_000
/** How exactly the last use of a key is stored. */
const USED_MS = 60_000

/**
 * Makes a key. Only its hash is stored. Throws 413 for a user who has as many as they may, 401 for a closed account.
 * @returns the key itself, which nothing can show again
 */
export const createFeedKey = async (
  context: AuthContext,
  userId: string,
  { label, tlp, expires_at }: BodyOf<typeof profileApi.createFeedKey>,
): Promise<{ key: string; doc: FeedKeyDoc }> => {
  const key = PREFIX + newToken()
  const slots = { max: LIMITS.feedKeysMax, full: DETAILS.feedKeysFull }
  const doc = await addToAccount<FeedKeyDoc>(context, context.models.feedKeys, slots, {
    _id: new Types.ObjectId(),
    user_id: new Types.ObjectId(userId),
    label,
    hash: hashOf(key),
    tlp: rankOfTlp(tlp),
    created_at: new Date(),
    expires_at: expires_at ? new Date(expires_at) : null,
    last_used_at: null,
  })
  return { key, doc }
}

/** Revokes a key of the user's. Throws 404. */
export const deleteFeedKey = async ({ models }: AuthContext, user_id: string, _id: string): Promise<void> => {
  const { deletedCount } = await models.feedKeys.deleteOne({ _id, user_id })
  if (deletedCount === 0) throw notFound()
}

/** Revokes the valid keys of a user. Returns their number. */
export const revokeUserFeedKeys = async (
  { models }: AuthContext,
  user_id: Types.ObjectId,
): Promise<number> => {
  const { deletedCount } = await models.feedKeys.deleteMany({ user_id, ...liveFeedKeys() })
  return deletedCount
}

/**
 * The live key with this hash, with a token of the scope `feed` for the services; null for a key that is revoked or
 * expired, or whose account is suspended, deleted or about to be. Nothing is cached, so that its end counts at once. Its use is no
 * activity of its user.
 */
export const checkFeedKey = async ({ models, keys }: AuthContext, hash: string) => {
  const now = Date.now()
  const doc = await models.feedKeys.findOne({ hash }).lean<FeedKeyDoc>()
  if (!doc || (doc.expires_at && doc.expires_at.getTime() <= now)) return null
  const user = await models.users
    .findById(doc.user_id)
    .select('suspended_at delete_at deleted_at')
    .lean<UserDoc>()
  const tlp = tlpOfRank(doc.tlp)
  if (!user || user.suspended_at || user.delete_at || user.deleted_at || !tlp) return null
  if ((doc.last_used_at?.getTime() ?? 0) < now - USED_MS)
    await models.feedKeys.updateOne({ _id: doc._id }, { $set: { last_used_at: new Date(now) } })
  const [id, user_id] = [doc._id.toHexString(), doc.user_id.toHexString()]
  const token = await signToken(keys.privateKey, { id: user_id, sid: id, scope: 'feed', tlp }, TOKEN_MS)
  return { id, user_id, token }
}
