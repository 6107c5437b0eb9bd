import { iodsInternal } from '@iodine/contracts'
import { notFound, type Peers } from '@iodine/service-kit'
import { Types } from 'mongoose'
import type { CampaignDoc, CampaignModel } from '../models/campaign.js'
import { findCampaign } from '../queries/campaign-detail.js'

/**
 * Puts an IOD into a campaign; one that is there already changes nothing. Throws 404 for an unknown campaign or IOD,
 * 503 while the iods service can't say.
 */
export const addIod = async (
  model: CampaignModel,
  peers: Peers,
  id: string,
  iodId: string,
): Promise<CampaignDoc> => {
  const iod = new Types.ObjectId(iodId)
  const [, [known]] = await Promise.all([
    findCampaign(model, id),
    peers.call('iods', iodsInternal.getIods, { body: { ids: [iod.toHexString()] } }),
  ])
  if (!known) throw notFound()
  await model.updateOne(
    { _id: id, iod_ids: { $ne: iod } },
    { $push: { iod_ids: iod }, $inc: { iod_count: 1 } },
  )
  // Deleted meanwhile, it is not found here.
  return findCampaign(model, id)
}

/** Takes an IOD out; one that is not there changes nothing. Throws 404 for an unknown campaign. */
export const removeIod = async (model: CampaignModel, id: string, iodId: string): Promise<CampaignDoc> => {
  const iod = new Types.ObjectId(iodId)
  await model.updateOne({ _id: id, iod_ids: iod }, { $pull: { iod_ids: iod }, $inc: { iod_count: -1 } })
  return findCampaign(model, id)
}
