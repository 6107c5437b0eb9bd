import type { campaignsApi, ResponseOf } from '@iodine/contracts'
import { type PersonalSource, personalSource } from '@iodine/service-kit'
import { Types } from 'mongoose'
import type { CampaignModel } from '../../campaigns/models/campaign.js'
import type { ProposalModel } from '../models/proposal.js'
import { BY_TECHNIQUE, type TechniqueQuoteDoc, type TechniqueQuoteModel } from '../models/technique-quote.js'

/** Number of quotes of a technique, and of the IODs whose evidence they are. */
export interface QuoteCount {
  quotes: number
  iods: number
}

const counted = {
  quotes: { $sum: 1 },
  iods: { $addToSet: '$iod_id' },
} as const
const size = { $size: { $setDifference: ['$iods', [null]] } } as const

/** Counts the quotes of a campaign by technique. */
export const countQuotes = async (
  quotes: TechniqueQuoteModel,
  campaignId: string,
): Promise<ReadonlyMap<string, QuoteCount>> => {
  const counts = await quotes.aggregate<QuoteCount & { _id: string }>([
    { $match: { campaign_id: new Types.ObjectId(campaignId) } },
    { $group: { _id: '$tid', ...counted } },
    { $project: { quotes: 1, iods: size } },
  ])
  return new Map(counts.map(({ _id, ...count }) => [_id, count]))
}

/** Counts campaigns, IODs and quotes of each used technique. Quotes of removed techniques are not counted. */
export const countAllTechniques = async (
  campaigns: CampaignModel,
  quotes: TechniqueQuoteModel,
): Promise<ResponseOf<typeof campaignsApi.countTechniques>> => {
  const used = await campaigns.aggregate<{ _id: string; campaigns: number }>([
    { $match: { 'techniques.id': { $gt: '' } } },
    { $unwind: '$techniques' },
    { $group: { _id: '$techniques.id', campaigns: { $sum: 1 } } },
    { $sort: { _id: 1 } },
  ])
  const counts = await quotes.aggregate<QuoteCount & { _id: string }>([
    { $group: { _id: '$tid', ...counted } },
    { $project: { quotes: 1, iods: size } },
  ])
  const byId = new Map(counts.map(count => [count._id, count]))
  return used.map(({ _id: id, campaigns: n }) => ({
    id,
    campaigns: n,
    iods: byId.get(id)?.iods ?? 0,
    quotes: byId.get(id)?.quotes ?? 0,
  }))
}

/** Returns the quotes of a technique of a campaign, oldest first. */
export const findQuotes = (
  quotes: TechniqueQuoteModel,
  campaignId: string,
  tid: string,
): Promise<TechniqueQuoteDoc[]> =>
  quotes
    .find({ campaign_id: new Types.ObjectId(campaignId), tid })
    .sort(BY_TECHNIQUE)
    .lean<TechniqueQuoteDoc[]>()

/** Returns the first quote of each technique of a campaign. */
export const firstQuotes = async (
  quotes: TechniqueQuoteModel,
  campaignId: Types.ObjectId,
): Promise<ReadonlyMap<string, string>> => {
  const all = await quotes
    .find({ campaign_id: campaignId }, { tid: 1, exact: 1 })
    .sort(BY_TECHNIQUE)
    .lean<Pick<TechniqueQuoteDoc, 'tid' | 'exact'>[]>()
  return new Map(all.reverse().map(({ tid, exact }) => [tid, exact]))
}

/** Returns the sources of a user's quotes and proposals for the data export. */
export const personalQuotes = (quotes: TechniqueQuoteModel, proposals: ProposalModel): PersonalSource[] => [
  personalSource('technique_quote', quotes, by => ({ by })),
  personalSource('technique_proposal', proposals, user_id => ({ user_id })),
]
