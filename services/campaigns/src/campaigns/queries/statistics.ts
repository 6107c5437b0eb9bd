import { type CampaignStatistics, type IodCounts, iodsInternal, LIMITS } from '@iodine/contracts'
import type { Peers } from '@iodine/service-kit'
import type { CampaignModel } from '../models/campaign.js'
import { findCampaign } from './campaign-detail.js'

/**
 * Counts a campaign's IODs by kind, and their votes: in batches, so that other queries run in between.
 * @throws HttpError 404, or 503 while the iods service is down
 */
export const countStatistics = async (
  model: CampaignModel,
  peers: Peers,
  id: string,
): Promise<CampaignStatistics> => {
  const { iod_count, iod_ids = [] } = await findCampaign(model, id)
  const none = { categories: {}, source_types: {}, votes: 0, comments: 0 }
  const statistics: CampaignStatistics = { iod_count, ...none }
  for (let at = 0; at < iod_ids.length; at += LIMITS.campaignBatch) {
    const ids = iod_ids.slice(at, at + LIMITS.campaignBatch).map(each => each.toHexString())
    const batch = await peers.call('iods', iodsInternal.countIods, { body: { ids } })
    addTo(statistics.categories, batch.categories)
    addTo(statistics.source_types, batch.source_types)
    statistics.votes += batch.votes
    statistics.comments += batch.comments
  }
  return statistics
}

type Numbers = IodCounts['categories' | 'source_types']
const addTo = (sums: Numbers, more: Numbers): void => {
  for (const [name, n = 0] of Object.entries(more)) sums[name] = (sums[name] ?? 0) + n
}
