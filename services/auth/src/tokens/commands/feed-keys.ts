import { type BodyOf, DETAILS, LIMITS, type profileApi, rankOfTlp, tlpOfRank } from '@iodine/contracts'
import { hashOf, notFound, signToken } from '@iodine/service-kit'
import { Types } from 'mongoose'
import type { UserDoc } from '../../accounts/models/user.js'
import { newToken } from '../../codes.js'
import type { AuthContext } from '../../context.js'
import { type FeedKeyDoc, liveFeedKeys } from '../models/feed-key.js'
import { addToAccount } from './slots.js'

/** Prefix of each key, by which secret scanners recognize it. */
const PREFIX = 'iodine_feed_'
/** Lifetime of the service token of a checked key. */
const TOKEN_MS = 60_000
/** Precision in milliseconds of the stored last use of a key. */
const USE_PRECISION_MS = 60_000

/**
 * Creates a key and stores only its hash. Throws 413 past the limit of the user, 401 for a closed account.
 * @returns the key, which cannot be shown again
 */
export const createFeedKey = async (
  context: AuthContext,
  userId: string,
  { label, reads, tlp, expires_at }: BodyOf<typeof profileApi.createFeedKey>,
): Promise<{ key: string; doc: FeedKeyDoc }> => {
  const key = PREFIX + newToken()
  const slots = { max: LIMITS.feedKeysMax, full: DETAILS.feedKeysFull }
  const doc = await addToAccount<FeedKeyDoc>(context, context.models.feedKeys, slots, {
    _id: new Types.ObjectId(),
    user_id: new Types.ObjectId(userId),
    label,
    hash: hashOf(key),
    reads,
    tlp: rankOfTlp(tlp),
    created_at: new Date(),
    expires_at: expires_at ? new Date(expires_at) : null,
    last_used_at: null,
  })
  return { key, doc }
}

/** Revokes a key of the user. Throws 404. */
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
 * Returns the live key with this hash, with a service token of the scope `feed`; null for a revoked or expired key, and
 * for an account that is suspended, deleted or scheduled for deletion. Nothing is cached, so that a revocation takes
 * effect at once. Does not count as activity of the user.
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
  if ((doc.last_used_at?.getTime() ?? 0) <= now - USE_PRECISION_MS)
    await models.feedKeys.updateOne({ _id: doc._id }, { $set: { last_used_at: new Date(now) } })
  const [id, user_id] = [doc._id.toHexString(), doc.user_id.toHexString()]
  const token = await signToken(keys.privateKey, { id: user_id, sid: id, scope: 'feed', tlp }, TOKEN_MS)
  return { id, user_id, reads: doc.reads ?? 'campaigns', token }
}
