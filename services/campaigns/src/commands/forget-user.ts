import type { Types } from 'mongoose'
import type { CampaignModels } from '../models/campaign.js'

/** Removes a deleted user's id from their campaigns. The campaigns remain and can no longer be edited. */
export const forgetUser = async (
  { campaigns, quotas }: CampaignModels,
  userId: Types.ObjectId,
): Promise<void> => {
  // Ensures that the usage is counted, as the remaining campaigns still count.
  await quotas.used(userId)
  await campaigns.updateMany({ created_by: userId }, { $set: { created_by: null } })
  await quotas.forget(userId, { left: true })
}
