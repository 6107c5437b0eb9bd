import { type CampaignSharing, rankOfTlp, tlpOfRank, USUAL_TLP } from '@iodine/contracts'
import { notFound } from '@iodine/service-kit'
import type { CampaignDoc } from '../models/campaign.js'
import { type ImportDoc, keptFrom } from '../models/import.js'
import type { CampaignModels } from '../models/index.js'

/**
 * The level of a campaign's exports, and the lowest that it may have: the strictest of what it keeps. Derived, so that
 * it is the creator's again once a strict import is removed. Throws 404.
 */
export const readSharing = async (
  { campaigns, imports }: Pick<CampaignModels, 'campaigns' | 'imports'>,
  id: string,
): Promise<CampaignSharing> => {
  const doc = await campaigns.findById(id).select('+tlp').lean<CampaignDoc>()
  if (!doc) throw notFound()
  const [strictest] = await imports
    .find(keptFrom(doc._id), { tlp: 1 })
    .sort({ tlp: -1 })
    .limit(1)
    .lean<Pick<ImportDoc, 'tlp'>[]>()
  const least = strictest?.tlp ?? 0
  return {
    tlp: tlpOfRank(Math.max(doc.tlp ?? rankOfTlp(USUAL_TLP), least)) ?? 'red',
    least: tlpOfRank(least) ?? 'red',
  }
}
