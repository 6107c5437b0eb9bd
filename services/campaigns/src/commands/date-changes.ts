import type { Connection } from '@iodine/service-kit'
import type { CampaignDoc } from '../models/campaign.js'

/** Campaigns of this age are looked at: more than the repair is late while a version is replaced. */
const LOOKED_AT_MS = 10 * 60_000

/**
 * Gives campaigns that an earlier version has written the time of their last change: now, as that version called
 * each of its files a new one. Idempotent.
 * @param filter the campaigns that are looked at; by default those that the version before may be creating
 * @returns their number
 */
export const dateChanges = async (
  mongo: Connection,
  filter: object = { created_at: { $gt: new Date(Date.now() - LOOKED_AT_MS) } },
): Promise<number> => {
  const undated = { ...filter, changed_at: null as never }
  const campaigns = mongo.collection<CampaignDoc>('campaigns')
  if (!(await campaigns.findOne(undated, { projection: { _id: 1 } }))) return 0
  return (await campaigns.updateMany(undated, { $currentDate: { changed_at: true } })).modifiedCount
}
