import type { Types } from 'mongoose'
import type { Store } from '../../store.js'

/**
 * Removes all narratives, graph aggregates and canonical narratives of a deleted user. Results of running extractions
 * are discarded. Publishes no events, as every service deletes the user's data.
 */
export const eraseUser = async (store: Store, user_id: Types.ObjectId): Promise<void> => {
  const { narratives, edges, sources, summed, sums, quotas } = store
  // The deleted state is set first, so that restoring cannot recreate the aggregates removed next.
  await narratives.updateMany(
    { user_id },
    { $set: { state: 'deleted', text: '' }, $unset: { restore_until: 1 } },
  )
  // A build stops without this document.
  await summed.deleteOne({ _id: user_id })
  await sums.deleteMany({ user_id })
  await edges.deleteMany({ user_id })
  await sources.deleteMany({ user_id })
  // Without this document, no clusters are stored.
  await store.canon.deleteOne({ _id: user_id })
  await store.canonMembers.deleteMany({ user_id })
  await store.canonRules.deleteMany({ user_id })
  await store.canonDecisions.deleteMany({ user_id })
  await store.canonShared.deleteMany({ user_id })
  await narratives.deleteMany({ user_id })
  await quotas.forget(user_id)
}
