import type { BodyOf, campaignsApi } from '@iodine/contracts'
import { forbidden, notFound } from '@iodine/service-kit'
import { Types } from 'mongoose'
import { type CampaignDoc, type CampaignModel, searchFields } from '../models/campaign.js'
import type { Store } from '../models/index.js'
import { changeCampaign } from './change-campaign.js'
import { enqueueRemoval } from './remove-import.js'
import { enqueueWithdrawal } from './share-campaign.js'

/** Throws 413 when the user's quota is full. */
export const createCampaign = async (
  { campaigns, quotas }: Store,
  userId: string,
  { name, description }: BodyOf<typeof campaignsApi.createCampaign>,
): Promise<CampaignDoc> => {
  const created_by = new Types.ObjectId(userId)
  const created_at = new Date()
  const doc: CampaignDoc = {
    _id: new Types.ObjectId(),
    ...searchFields({ name }),
    name,
    description: description ?? '',
    created_by,
    created_at,
    changed_at: created_at,
    iod_count: 0,
  }
  await quotas.change(created_by, { campaigns: 1 }, session =>
    campaigns.create([{ ...doc, iod_ids: [] }], { session }),
  )
  return doc
}

/** Only the creator may edit or delete a campaign. The write itself has the condition, so it is atomic. */
const mine = (userId: string, id: string) => ({ _id: id, created_by: userId })

const refusal = async (model: CampaignModel, id: string) =>
  (await model.exists({ _id: id })) ? forbidden() : notFound()

/** Throws 404, or 403 for another user's campaign. */
export const updateCampaign = async (
  store: Store,
  userId: string,
  id: string,
  { name, description }: BodyOf<typeof campaignsApi.updateCampaign>,
): Promise<CampaignDoc> => {
  const changes = {
    ...(name !== undefined && { name, ...searchFields({ name }) }),
    ...(description !== undefined && { description: description ?? '' }),
  }
  const { campaigns } = store
  const doc =
    Object.keys(changes).length > 0
      ? await changeCampaign(store, mine(userId, id), { $set: changes })
      : await campaigns.findOne(mine(userId, id)).lean<CampaignDoc>()
  if (!doc) throw await refusal(campaigns, id)
  return doc
}

/** Throws 404, or 403 for another user's campaign. */
export const deleteCampaign = async (store: Store, userId: string, id: string): Promise<void> => {
  const { campaigns, quotas } = store
  await quotas.change(new Types.ObjectId(userId), { campaigns: -1 }, async session => {
    const { deletedCount } = await campaigns.deleteOne(mine(userId, id), { session })
    // The exception rolls the usage back.
    if (deletedCount === 0) throw await refusal(campaigns, id)
    await enqueueRemoval(store, { campaign_id: id }, session)
    await enqueueWithdrawal(store, { _id: id }, session)
  })
}
