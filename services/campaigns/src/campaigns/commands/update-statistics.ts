import type { CampaignStatistics } from '@iodine/contracts'
import type { Peers } from '@iodine/service-kit'
import type { CampaignModel } from '../models/campaign.js'
import { countStatistics } from '../queries/statistics.js'

/** Changes since the stored numbers from which on new ones are stored. */
const STORED_FROM = 100

/** Returns a campaign's statistics, and stores the numbers that the next count begins with. Throws as `countStatistics`. */
export const updateStatistics = async (
  model: CampaignModel,
  peers: Peers,
  id: string,
): Promise<CampaignStatistics> => {
  const { doc, statistics, counted, changes } = await countStatistics(model, peers, id)
  if (changes >= STORED_FROM)
    // An addition in the meantime is behind the counted members. A removal may be of one of them.
    await model.updateOne({ _id: doc._id, removals: doc.removals ?? null }, { $set: { counted } })
  return statistics
}
