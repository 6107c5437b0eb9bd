import { LIMITS } from '@iodine/contracts'
import { notFound } from '@iodine/service-kit'
import { type QueryFilter, Types } from 'mongoose'
import { BY_SIZE, type CampaignDoc, type CampaignModel } from '../../campaigns/models/campaign.js'

/** A campaign with the ids of its IODs. */
export type Compared = Pick<CampaignDoc, '_id' | 'name' | 'iod_count' | 'iod_ids'>

/**
 * Returns the campaigns to compare, the largest first, and the number of all: the chosen ones, the caller's or all.
 * Campaigns that exceed `LIMITS.analyzedMembersMax` together are omitted.
 * @throws HttpError 404 for an unknown campaign
 */
export const largestCampaigns = async (
  model: CampaignModel,
  userId: string,
  { campaign, mine }: { campaign?: string[] | undefined; mine: boolean },
): Promise<{ total: number; campaigns: Compared[] }> => {
  const chosen = campaign && [...new Set(campaign.map(id => id.toLowerCase()))]
  const filter: QueryFilter<CampaignDoc> = {
    ...(chosen && { _id: { $in: chosen.map(id => new Types.ObjectId(id)) } }),
    ...(mine && { created_by: new Types.ObjectId(userId) }),
  }
  if (chosen && (await model.countDocuments({ _id: filter._id as never })) < chosen.length)
    throw notFound('This campaign does not exist anymore')
  const isAll = !chosen && !mine
  const [total, sizes] = await Promise.all([
    isAll ? model.estimatedDocumentCount() : model.countDocuments(filter),
    model
      .find(filter, { iod_count: 1 }, isAll ? { hint: BY_SIZE } : {})
      .sort(BY_SIZE)
      .limit(LIMITS.analyzedCampaignsMax)
      .lean<Pick<CampaignDoc, '_id' | 'iod_count'>[]>(),
  ])
  let members = 0
  const fitting = sizes.filter(({ iod_count }) => {
    if (members + iod_count > LIMITS.analyzedMembersMax) return false
    members += iod_count
    return true
  })
  const docs = await model
    .find({ _id: { $in: fitting.map(({ _id }) => _id) } }, { name: 1, iod_count: 1, iod_ids: 1 })
    .sort(BY_SIZE)
    .lean<Compared[]>()
  return { total, campaigns: docs }
}
