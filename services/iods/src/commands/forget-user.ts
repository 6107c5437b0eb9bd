import type { Types } from 'mongoose'
import type { IodModels } from '../models/index.js'
import { forgetCovotes } from './project-covotes.js'

/** Removes a deleted user's id from their IODs, votes and evidence. All remain, but count in no user's usage. */
export const forgetUser = async (
  models: Pick<IodModels, 'iods' | 'evidence' | 'quotas' | 'covotes' | 'covoteBuilds'>,
  userId: Types.ObjectId,
): Promise<void> => {
  const { iods, evidence, quotas } = models
  // Ensures that the usage is counted, as what remains still counts in the total.
  await quotas.used(userId)
  await iods.updateMany({ created_by: userId }, { $set: { created_by: null } })
  await iods.updateMany({ 'votes.user_id': userId }, { $set: { 'votes.$.user_id': null } })
  // After the votes: the projection, which may be counting them, looks at the votes again.
  await forgetCovotes(models, userId)
  await evidence.updateMany({ created_by: userId }, { $set: { created_by: null } })
  await quotas.forget(userId, { left: true })
}
