import type { Types } from 'mongoose'
import type { Store } from '../store.js'

/**
 * Removes all narratives of a deleted user with the graph's aggregates. What an extraction under way brings finds
 * nothing to end; nobody is told of each narrative, as all services forget the user.
 */
export const forgetUser = async (
  { narratives, edges, sources, quotas }: Store,
  user_id: Types.ObjectId,
): Promise<void> => {
  // From here on none is counted in the graph any more, so that the aggregates removed next stay away.
  await narratives.updateMany({ user_id }, { $set: { state: 'deleted', text: '' } })
  await edges.deleteMany({ user_id })
  await sources.deleteMany({ user_id })
  await narratives.deleteMany({ user_id })
  await quotas.forget(user_id)
}
