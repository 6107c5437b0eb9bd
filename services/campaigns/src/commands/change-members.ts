import { type campaignsApi, iodsInternal, type ResponseOf } from '@iodine/contracts'
import { notFound, type Peers, QuotaExceeded, unavailable } from '@iodine/service-kit'
import { Types } from 'mongoose'
import { type CampaignDoc, type CampaignModel, CHANGED } from '../models/campaign.js'
import { findCampaign } from '../queries/campaign-detail.js'

/**
 * Adds an IOD to a campaign. Idempotent. The answer omits the members, as a client that adds many would
 * receive the whole list each time. Throws 404 for an unknown campaign or IOD, 413 for a full campaign, 503
 * while the iods service is unavailable.
 */
export const addIod = async (
  model: CampaignModel,
  peers: Peers,
  id: string,
  iodId: string,
  max: number,
): Promise<CampaignDoc> => {
  const iod = new Types.ObjectId(iodId)
  const [exists, [known]] = await Promise.all([
    model.exists({ _id: id }),
    peers.call('iods', iodsInternal.knownIods, { body: { ids: [iod.toHexString()] } }),
  ])
  if (!exists || !known) throw notFound()
  const change = { $push: { iod_ids: iod }, $inc: { iod_count: 1 }, ...CHANGED }
  const isNew = { _id: id, iod_ids: { $ne: iod } }
  const added = await model
    .findOneAndUpdate({ ...isNew, iod_count: { $lt: max } }, change, { returnDocument: 'after' })
    .lean<CampaignDoc>()
  if (added) return added
  const full = await model.findOne({ ...isNew, iod_count: { $gte: max } }).lean<CampaignDoc>()
  if (full) throw new QuotaExceeded('campaign_iods', max, 1, { campaign_iods: full.iod_count })
  const doc = await model.findById(id).lean<CampaignDoc>()
  // The campaign was deleted concurrently.
  if (!doc) throw notFound()
  return doc
}

/** How often an addition is tried again after others changed the campaign meanwhile. */
const TRIES = 20

/**
 * Adds IODs to a campaign in one step, in the given order. Idempotent. Unknown IODs are left out. Throws 404
 * for an unknown campaign, 413 if not all of the new ones fit, 503 while the iods service is unavailable.
 */
export const addIods = async (
  model: CampaignModel,
  peers: Peers,
  id: string,
  iodIds: readonly string[],
  max: number,
): Promise<ResponseOf<typeof campaignsApi.addIods>> => {
  const ids = [...new Set(iodIds.map(iodId => iodId.toLowerCase()))]
  const [exists, found] = await Promise.all([
    model.exists({ _id: id }),
    peers.call('iods', iodsInternal.knownIods, { body: { ids } }),
  ])
  if (!exists) throw notFound()
  const known = new Set(found)
  const push = async (added: readonly string[]): Promise<boolean> => {
    const fresh = added.map(each => new Types.ObjectId(each))
    const { modifiedCount } = await model.updateOne(
      { _id: id, iod_ids: { $nin: fresh }, iod_count: { $lte: max - fresh.length } },
      { $push: { iod_ids: { $each: fresh } }, $inc: { iod_count: fresh.length }, ...CHANGED },
    )
    return modifiedCount === 1
  }
  // Mostly all are new: the members of a large campaign are not read for that.
  if (known.size === ids.length && (await push(ids))) return { added: ids, already: [], unknown: [] }
  for (let tries = 0; tries < TRIES; tries++) {
    const doc = await model.findById(id).select('+iod_ids').lean<CampaignDoc>()
    if (!doc) throw notFound()
    const members = new Set(doc.iod_ids?.map(String))
    const added = ids.filter(each => known.has(each) && !members.has(each))
    const answer = {
      added,
      already: ids.filter(each => members.has(each)),
      unknown: ids.filter(each => !known.has(each) && !members.has(each)),
    }
    if (added.length === 0) return answer
    if (doc.iod_count + added.length > max)
      throw new QuotaExceeded('campaign_iods', max, added.length, { campaign_iods: doc.iod_count })
    if (await push(added)) return answer
  }
  throw unavailable()
}

/** Counted members of which more than this many are removed are counted anew. */
const REMOVED_MAX = 100

/**
 * Removes an IOD from a campaign. Idempotent. Throws 404 for an unknown campaign. If the IOD is among the
 * counted members (`readStatistics`), it is noted to be subtracted.
 * @returns the campaign, and whether the IOD was in it
 */
export const removeIod = async (
  model: CampaignModel,
  id: string,
  iodId: string,
): Promise<{ doc: CampaignDoc; isRemoved: boolean }> => {
  const iod = new Types.ObjectId(iodId)
  const isCounted = { $lt: [{ $indexOfArray: ['$iod_ids', iod] }, '$counted.members'] }
  const isFull = { $gte: [{ $size: { $ifNull: ['$counted.removed', []] } }, REMOVED_MAX] }
  const noted = {
    members: { $subtract: ['$counted.members', 1] },
    removed: { $concatArrays: ['$counted.removed', [iod]] },
  }
  const counted = { $cond: [isFull, '$$REMOVE', { $mergeObjects: ['$counted', noted] }] }
  const { matchedCount } = await model.updateOne(
    { _id: id, iod_ids: iod },
    [
      {
        $set: {
          iod_ids: { $filter: { input: '$iod_ids', cond: { $ne: ['$$this', iod] } } },
          iod_count: { $subtract: ['$iod_count', 1] },
          changed_at: '$$NOW',
          removals: { $add: [{ $ifNull: ['$removals', 0] }, 1] },
          counted: { $cond: [isCounted, counted, '$counted'] },
        },
      },
    ],
    { updatePipeline: true },
  )
  return { doc: await findCampaign(model, id), isRemoved: matchedCount > 0 }
}
