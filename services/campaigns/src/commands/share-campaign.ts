import { type CampaignSharing, DETAILS, rankOfTlp, type Tlp } from '@iodine/contracts'
import { forbidden, HttpError } from '@iodine/service-kit'
import { CHANGED } from '../models/campaign.js'
import type { CampaignModels } from '../models/index.js'
import { readSharing } from '../queries/sharing.js'

/**
 * Sets the level of a campaign's exports.
 * @throws 404, 403 for another user's campaign, 409 below what it keeps
 */
export const shareCampaign = async (
  models: Pick<CampaignModels, 'campaigns' | 'imports'>,
  userId: string,
  id: string,
  tlp: Tlp,
): Promise<CampaignSharing> => {
  const { least } = await readSharing(models, id)
  const mine = { _id: id, created_by: userId }
  if (!(await models.campaigns.exists(mine))) throw forbidden()
  // An import that begins meanwhile counts all the same: its level is compared at each reading.
  if (rankOfTlp(tlp) < rankOfTlp(least)) throw new HttpError(409, DETAILS.tlpTooLow)
  const { matchedCount } = await models.campaigns.updateOne(mine, {
    $set: { tlp: rankOfTlp(tlp) },
    ...CHANGED,
  })
  if (matchedCount === 0) throw forbidden()
  return readSharing(models, id)
}
