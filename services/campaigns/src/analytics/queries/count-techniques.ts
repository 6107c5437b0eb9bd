import { compareText, timesOf } from '@iodine/contracts'
import { Types } from 'mongoose'
import type { CampaignModel } from '../../campaigns/models/campaign.js'

interface Period {
  from: string
  to: string
  zone: string
}

/** Counts the campaigns created in a period by technique: all, or those of a user. Most first. */
export const countTechniques = async (
  model: CampaignModel,
  period: Period,
  creator: string | undefined,
): Promise<Map<string, number>> => {
  const created_at = timesOf(period)
  const counts = await model.aggregate<{ _id: string; n: number }>([
    { $match: { created_at, ...(creator && { created_by: new Types.ObjectId(creator) }) } },
    { $match: { 'techniques.0': { $exists: true } } },
    { $project: { technique: { $setUnion: ['$techniques.id', []] } } },
    { $unwind: '$technique' },
    { $group: { _id: '$technique', n: { $sum: 1 } } },
  ])
  return new Map(counts.sort((a, b) => b.n - a.n || compareText(a._id, b._id)).map(({ _id, n }) => [_id, n]))
}
