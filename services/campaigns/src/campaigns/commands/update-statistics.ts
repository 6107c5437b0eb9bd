import type { CampaignStatistics } from '@iodine/contracts'
import type { Peers } from '@iodine/service-kit'
import type { CampaignModel } from '../models/campaign.js'
import { countStatistics } from '../queries/statistics.js'

/** Minimum changes since the stored counts before new counts are stored. */
const STORED_FROM = 100

/** Returns a campaign's statistics, and stores the counts as the next call's base. Throws as `countStatistics`. */
export const updateStatistics = async (
  model: CampaignModel,
  peers: Peers,
  id: string,
): Promise<CampaignStatistics> => {
  const { doc, statistics, counted, changes } = await countStatistics(model, peers, id)
  if (changes >= STORED_FROM)
    // A concurrent addition comes after the counted members. A concurrent removal may remove one of them.
    await model.updateOne({ _id: doc._id, removals: doc.removals ?? null }, { $set: { counted } })
  return statistics
}
