import { Types } from 'mongoose'
import { accessError, createdBy } from '../../campaigns/commands/edit-campaign.js'
import { enqueueWithdrawal } from '../../feeds/commands/share-campaign.js'
import { enqueueRemoval } from '../../imports/commands/remove-import.js'
import type { Store } from '../../models.js'
import { forgetCampaign } from '../../reports/commands/forget.js'

/**
 * Deletes a campaign with its comments, quotes and proposals of techniques, and enqueues the removal of its imports and its withdrawal from feeds.
 * @throws HttpError 404, 403 for another user's campaign
 */
export const deleteCampaign = async (store: Store, userId: string, id: string): Promise<void> => {
  const { campaigns, comments, proposals, quotas, techniqueQuotes } = store
  await quotas.change(new Types.ObjectId(userId), { campaigns: -1 }, async session => {
    const { deletedCount } = await campaigns.deleteOne(createdBy(userId, id), { session })
    // The exception rolls the usage back.
    if (deletedCount === 0) throw await accessError(campaigns, id)
    await comments.removeSubject(id, session)
    const ofCampaign = { campaign_id: new Types.ObjectId(id) }
    await techniqueQuotes.deleteMany(ofCampaign, { session })
    await proposals.deleteMany(ofCampaign, { session })
    await enqueueRemoval(store, { campaign_id: id }, session)
    await enqueueWithdrawal(store, { _id: id }, session)
  })
  await forgetCampaign(store, new Types.ObjectId(id))
}
