import { type Iod, iodsInternal } from '@iodine/contracts'
import { HttpError, notFound, type Peers } from '@iodine/service-kit'
import type { CampaignDoc, CampaignModel } from '../models/campaign.js'

/** What the iods service answers at once. */
const BATCH = 5_000

/** A campaign with its members' ids. Throws 404. */
export const findCampaign = async (model: CampaignModel, id: string): Promise<CampaignDoc> => {
  const doc = await model.findById(id).select('+iod_ids').lean<CampaignDoc>()
  if (!doc) throw notFound()
  return doc
}

/** A campaign's IODs in the order they were added, or null while the iods service is down. */
export const fetchIods = async (peers: Peers, campaign: CampaignDoc): Promise<Iod[] | null> => {
  const ids = (campaign.iod_ids ?? []).map(id => id.toHexString())
  const batches: string[][] = []
  for (let at = 0; at < ids.length; at += BATCH) batches.push(ids.slice(at, at + BATCH))
  try {
    const answers = await Promise.all(
      batches.map(part => peers.call('iods', iodsInternal.getIods, { body: { ids: part } })),
    )
    const known = new Map(answers.flat().map(iod => [iod.id, iod]))
    return ids.flatMap(id => known.get(id) ?? [])
  } catch (error) {
    if (error instanceof HttpError && error.status >= 500) return null
    throw error
  }
}
