import type { CampaignSharing } from '@iodine/contracts'
import { notFound } from '@iodine/service-kit'
import type { CampaignDoc, CampaignModel } from '../models/campaign.js'
import { levelOf, USUAL_RANK } from '../policies/levels.js'

/** The level of a campaign's exports, and the lowest that it may have. Throws 404. */
export const readSharing = async (campaigns: CampaignModel, id: string): Promise<CampaignSharing> => {
  const doc = await campaigns.findById(id).select(['+tlp', '+tlp_least']).lean<CampaignDoc>()
  if (!doc) throw notFound()
  return {
    tlp: levelOf(doc.tlp ?? USUAL_RANK) ?? 'red',
    least: levelOf(doc.tlp_least ?? 0) ?? 'red',
  }
}
