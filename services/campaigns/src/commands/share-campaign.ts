import { type CampaignSharing, DETAILS, type Tlp } from '@iodine/contracts'
import { forbidden, HttpError, notFound } from '@iodine/service-kit'
import type { CampaignModel } from '../models/campaign.js'
import { CHANGED } from '../models/campaign.js'
import { rankOf } from '../policies/levels.js'
import { readSharing } from '../queries/sharing.js'

/**
 * Sets the level of a campaign's exports.
 * @throws 404, 403 for another user's campaign, 409 below what was imported
 */
export const shareCampaign = async (
  campaigns: CampaignModel,
  userId: string,
  id: string,
  tlp: Tlp,
): Promise<CampaignSharing> => {
  const rank = rankOf(tlp) as number
  // The write has the condition: an import may raise the least level meanwhile.
  const allowed = { $or: [{ tlp_least: null as never }, { tlp_least: { $lte: rank } }] }
  const mine = { _id: id, created_by: userId }
  const { matchedCount } = await campaigns.updateOne(
    { ...mine, ...allowed },
    { $set: { tlp: rank }, ...CHANGED },
  )
  if (matchedCount === 0) {
    if (await campaigns.exists(mine)) throw new HttpError(409, DETAILS.tlpTooLow)
    throw (await campaigns.exists({ _id: id })) ? forbidden() : notFound()
  }
  return readSharing(campaigns, id)
}
