import type { Types } from 'mongoose'
import type { CampaignModel } from '../models/campaign.js'

/** Takes a deleted user's id from their campaigns, which stay, and which nobody edits any more. */
export const forgetUser = (model: CampaignModel, userId: Types.ObjectId): Promise<unknown> =>
  model.updateMany({ created_by: userId }, { $set: { created_by: null } }).exec()
