import { type campaignsApi, iodsInternal, type ResponseOf } from '@iodine/contracts'
import { inTransaction, notFound, type Peers, QuotaExceeded } from '@iodine/service-kit'
import { type ClientSession, Types } from 'mongoose'
import type { Store } from '../../models.js'
import type { CampaignDoc } from '../models/campaign.js'
import { findCampaign } from '../queries/campaign-detail.js'
import { changeCampaign } from './change-campaign.js'

/** Returns the maximum number of IODs of a campaign: its creator's limit, or else the default. Throws 404. */
const memberMax = async ({ campaigns, quotas }: Store, id: string, defaultMax: number): Promise<number> => {
  const doc = await campaigns.findById(id).select('created_by').lean<CampaignDoc>()
  if (!doc) throw notFound()
  return (doc.created_by && (await quotas.own(doc.created_by)).campaign_iods) ?? defaultMax
}

/**
 * Adds an IOD to a campaign. Idempotent. The result omits the members, as a client that adds many would
 * receive the whole list each time. Throws 404 for an unknown campaign or IOD, 413 for a full campaign, 503
 * while the iods service is unavailable.
 */
export const addIod = async (
  store: Store,
  peers: Peers,
  userId: string,
  id: string,
  iodId: string,
  defaultMax: number,
): Promise<CampaignDoc> => {
  const { campaigns } = store
  const iod = new Types.ObjectId(iodId)
  const [max, [known]] = await Promise.all([
    memberMax(store, id, defaultMax),
    peers.call('iods', iodsInternal.knownIods, { body: { ids: [iod.toHexString()] } }),
  ])
  if (!known) throw notFound()
  const change = { $push: { iod_ids: iod }, $inc: { iod_count: 1 } }
  const isNew = { _id: id, iod_ids: { $ne: iod } }
  const added = await changeCampaign(store, userId, { ...isNew, iod_count: { $lt: max } }, change)
  if (added) return added
  const full = await campaigns.findOne({ ...isNew, iod_count: { $gte: max } }).lean<CampaignDoc>()
  if (full) throw new QuotaExceeded('campaign_iods', max, 1, { campaign_iods: full.iod_count })
  const doc = await campaigns.findById(id).lean<CampaignDoc>()
  // The campaign was deleted concurrently.
  if (!doc) throw notFound()
  return doc
}

/**
 * Adds IODs to a campaign in one step, in the given order. Idempotent. Unknown IODs are omitted. Throws 404
 * for an unknown campaign, 413 if not all of the new ones fit, 503 while the iods service is unavailable.
 */
export const addIods = async (
  store: Store,
  peers: Peers,
  userId: string | null,
  id: string,
  iodIds: readonly string[],
  defaultMax: number,
): Promise<ResponseOf<typeof campaignsApi.addIods>> => {
  const ids = [...new Set(iodIds.map(iodId => iodId.toLowerCase()))]
  const [max, found] = await Promise.all([
    memberMax(store, id, defaultMax),
    peers.call('iods', iodsInternal.knownIods, { body: { ids } }),
  ])
  const known = new Set(found)
  const push = async (added: readonly string[], session: ClientSession): Promise<boolean> => {
    const fresh = added.map(each => new Types.ObjectId(each))
    const hasRoom = { _id: id, iod_ids: { $nin: fresh }, iod_count: { $lte: max - fresh.length } }
    const change = { $push: { iod_ids: { $each: fresh } }, $inc: { iod_count: fresh.length } }
    return (await changeCampaign(store, userId, hasRoom, change, session)) !== null
  }
  return inTransaction(store.mongo, async session => {
    // Usually all are new: then the members of a large campaign are not read.
    if (known.size === ids.length && (await push(ids, session)))
      return { added: ids, already: [], unknown: [] }
    const doc = await store.campaigns.findById(id).select('+iod_ids').session(session).lean<CampaignDoc>()
    if (!doc) throw notFound()
    const members = new Set(doc.iod_ids?.map(String))
    const added = ids.filter(each => known.has(each) && !members.has(each))
    if (doc.iod_count + added.length > max && added.length > 0)
      throw new QuotaExceeded('campaign_iods', max, added.length, { campaign_iods: doc.iod_count })
    if (added.length > 0) await push(added, session)
    return {
      added,
      already: ids.filter(each => members.has(each)),
      unknown: ids.filter(each => !known.has(each) && !members.has(each)),
    }
  })
}

/**
 * Removes an IOD from a campaign. Idempotent. Throws 404 for an unknown campaign.
 * @returns the campaign, and whether the IOD was in it
 */
export const removeIod = async (
  store: Store,
  userId: string | null,
  id: string,
  iodId: string,
): Promise<{ doc: CampaignDoc; isRemoved: boolean }> => {
  const iod = new Types.ObjectId(iodId)
  const change = { $pull: { iod_ids: iod }, $inc: { iod_count: -1 } }
  const removed = await changeCampaign(store, userId, { _id: id, iod_ids: iod }, change)
  return { doc: await findCampaign(store.campaigns, id), isRemoved: removed !== null }
}
