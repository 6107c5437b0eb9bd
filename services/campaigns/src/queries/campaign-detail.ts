import { type Iod, iodsInternal } from '@iodine/contracts'
import { HttpError, notFound, type Peers } from '@iodine/service-kit'
import type { CampaignDoc, CampaignModel } from '../models/campaign.js'

/** IODs asked for at once: one call for nearly every campaign, and well within a call's time. */
const BATCH = 1_000

/** A campaign with its members' ids. Throws 404. */
export const findCampaign = async (model: CampaignModel, id: string): Promise<CampaignDoc> => {
  const doc = await model.findById(id).select('+iod_ids').lean<CampaignDoc>()
  if (!doc) throw notFound()
  return doc
}

/** A campaign's IODs in the order they were added, or null while the iods service is down. */
export const fetchIods = async (peers: Peers, campaign: CampaignDoc): Promise<Iod[] | null> => {
  const ids = (campaign.iod_ids ?? []).map(id => id.toHexString())
  const known = new Map<string, Iod>()
  try {
    for (let at = 0; at < ids.length; at += BATCH) {
      const body = { ids: ids.slice(at, at + BATCH) }
      for (const iod of await peers.call('iods', iodsInternal.getIods, { body })) known.set(iod.id, iod)
    }
    return ids.flatMap(id => known.get(id) ?? [])
  } catch (error) {
    if (error instanceof HttpError && error.status >= 500) return null
    throw error
  }
}
