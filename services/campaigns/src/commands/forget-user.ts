import type { Types } from 'mongoose'
import type { CampaignModels } from '../models/campaign.js'

/** Takes a deleted user's id from their campaigns, which stay, and which nobody edits any more. */
export const forgetUser = async (
  { campaigns, quotas }: CampaignModels,
  userId: Types.ObjectId,
): Promise<void> => {
  // What they leave must have been counted, to go on counting.
  await quotas.used(userId)
  await campaigns.updateMany({ created_by: userId }, { $set: { created_by: null } })
  await quotas.forget(userId, { left: true })
}
