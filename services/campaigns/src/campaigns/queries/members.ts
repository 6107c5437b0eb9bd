import { notFound } from '@iodine/service-kit'
import type { CampaignDoc, CampaignModel } from '../models/campaign.js'

/** Returns the ids of the IODs that all of these campaigns have. @throws HttpError 404 for an unknown campaign */
export const membersOf = async (model: CampaignModel, ids: readonly string[]): Promise<string[]> => {
  const unique = [...new Set(ids.map(id => id.toLowerCase()))]
  const docs = await model.find({ _id: { $in: unique } }, { iod_ids: 1 }).lean<CampaignDoc[]>()
  if (docs.length < unique.length) throw notFound('This campaign does not exist anymore')
  const [first, ...others] = docs.map(({ iod_ids = [] }) => iod_ids.map(id => id.toHexString()))
  const sets = others.map(members => new Set(members))
  return (first ?? []).filter(id => sets.every(members => members.has(id)))
}
