import type { personalDataInternal, QueryOf } from '@iodine/contracts'
import { inTransaction } from '@iodine/service-kit'
import type { Types } from 'mongoose'
import { enqueueWithdrawal } from '../../feeds/commands/share-campaign.js'
import { enqueueRemoval } from '../../imports/commands/remove-import.js'
import type { Store } from '../../models.js'
import { forgetAuthor } from '../../reports/commands/forget.js'

/**
 * Removes a deleted user's id from their campaigns, comments, imports, subscriptions, techniques and their quotes. These
 * remain, except unfinished imports of files. Proposals of techniques are deleted. The campaigns become read-only and are
 * withdrawn from feeds; the subscriptions are paused.
 */
export const eraseUser = async (
  store: Store,
  userId: Types.ObjectId,
  wishes: QueryOf<typeof personalDataInternal.eraseUser>,
): Promise<void> => {
  const { mongo, campaigns, imports, subscriptions, quotas } = store
  // Both usages are counted before content changes owners, or a count in between would include it twice.
  for (const owner of [null, userId]) await quotas.used(owner)
  // No user could withdraw them later.
  await inTransaction(mongo, session =>
    enqueueWithdrawal(store, { user_id: userId }, session, { user_id: null }),
  )
  await campaigns.updateMany({ created_by: userId }, { $set: { created_by: null }, $unset: { published: 1 } })
  const undone = { user_id: userId, subscription_id: null, state: { $ne: 'done' as const } }
  await inTransaction(mongo, session => enqueueRemoval(store, undone, session))
  await subscriptions.updateMany({ user_id: userId }, { $set: { user_id: null, paused: true } })
  await subscriptions.updateMany(
    { user_id: null, state: 'fetching' },
    { $set: { state: 'waiting', lease: null } },
  )
  await imports.updateMany({ user_id: userId }, { $set: { user_id: null } })
  const by = { $cond: [{ $eq: ['$$this.by', userId] }, null, '$$this.by'] }
  const techniques = { $map: { input: '$techniques', in: { $mergeObjects: ['$$this', { by }] } } }
  await campaigns.updateMany({ 'techniques.by': userId }, [{ $set: { techniques } }], {
    updatePipeline: true,
  })
  await store.techniqueQuotes.updateMany({ by: userId }, { $set: { by: null } })
  await store.proposals.deleteMany({ user_id: userId })
  await forgetAuthor(store, userId)
  await store.comments.forget(userId, wishes)
  await quotas.forget(userId, { left: true })
}
