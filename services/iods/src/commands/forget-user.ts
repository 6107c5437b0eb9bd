import type { Types } from 'mongoose'
import type { IodModels } from '../models/iod.js'
import type { LiveCatalog } from '../queries/live-catalog.js'

/** Takes a deleted user's id from their IODs and votes, which stay, and count for nobody's usage from now on. */
export const forgetUser = async (
  { iods, quotas, catalog }: Pick<IodModels, 'iods' | 'quotas'> & { catalog: LiveCatalog },
  userId: Types.ObjectId,
): Promise<void> => {
  // What they leave must have been counted, to go on counting.
  await quotas.used(userId)
  await iods.updateMany({ created_by: userId }, { $set: { created_by: null } })
  await iods.updateMany({ 'votes.user_id': userId }, { $set: { 'votes.$.user_id': null } })
  await quotas.forget(userId, { left: true })
  await catalog.forget(userId)
}
