import type { BodyOf, campaignsApi } from '@iodine/contracts'
import { forbidden, notFound } from '@iodine/service-kit'
import { Types } from 'mongoose'
import type { Store } from '../../models.js'
import { type CampaignDoc, type CampaignModel, searchFields } from '../models/campaign.js'
import { changeCampaign } from './change-campaign.js'

/** Creates a campaign. Throws 413 when the user's quota is full. */
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

/** Returns the filter of writes that only a campaign's creator may make. It makes check and write atomic. */
export const createdBy = (userId: string, id: string) => ({ _id: id, created_by: userId })

/** Returns the error of a write that `createdBy` did not match: 404, or 403 for another user's campaign. */
export const accessError = async (model: CampaignModel, id: string) =>
  (await model.exists({ _id: id })) ? forbidden() : notFound()

/** Changes a campaign's name and description. Throws 404, or 403 for another user's campaign. */
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
      ? await changeCampaign(store, userId, createdBy(userId, id), { $set: changes })
      : await campaigns.findOne(createdBy(userId, id)).lean<CampaignDoc>()
  if (!doc) throw await accessError(campaigns, id)
  return doc
}
