import { createHash } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { encodeCampaigns, type OverlayCampaign } from '@iodine/known-iods'
import { createSingleFlight, type Download } from '@iodine/service-kit'
import type { Types } from 'mongoose'
import type { CampaignDoc, CampaignModel } from '../models/campaign.js'

/** Time for which an answer is reused. */
const KEPT_MS = 30_000
/** Maximum ids of IODs in an answer: large campaigns must not fill the memory of all clients. */
const IDS_MAX = 500_000
const CAMPAIGNS_MAX = 20_000
/** Maximum characters of a name. */
const NAME_MAX = 200
/** Maximum ids per read. */
const BATCH_IDS = 10_000

type Listed = Pick<CampaignDoc, '_id' | 'iod_count'>

/** Selects the smallest campaigns with IODs. Returns their ids, sorted, in batches of at most `BATCH_IDS` IODs. */
const listBatches = async (model: CampaignModel, idsMax: number): Promise<Types.ObjectId[][]> => {
  const smallest = await model
    .find({ iod_count: { $gt: 0 } }, { iod_count: 1 })
    .sort({ iod_count: 1, _id: 1 })
    .limit(CAMPAIGNS_MAX)
    .lean<Listed[]>()
  let ids = 0
  const chosen = smallest.filter(({ iod_count }) => {
    ids += iod_count
    return ids <= idsMax
  })
  chosen.sort((a, b) => Buffer.compare(a._id.id, b._id.id))
  const batches: Types.ObjectId[][] = []
  let size = BATCH_IDS
  for (const { _id, iod_count } of chosen) {
    if (size + iod_count > BATCH_IDS) {
      batches.push([])
      size = 0
    }
    batches.at(-1)?.push(_id)
    size += iod_count
  }
  return batches
}

/** Reads campaigns, and yields to other requests after each. */
async function* readBatches(
  model: CampaignModel,
  batches: Types.ObjectId[][],
): AsyncGenerator<OverlayCampaign> {
  for (const ids of batches) {
    const docs = await model
      .find({ _id: { $in: ids } }, { name: 1, iod_ids: 1 })
      .sort({ _id: 1 })
      .lean<CampaignDoc[]>()
    for (const { _id, name, iod_ids = [] } of docs) {
      yield {
        id: _id.toHexString(),
        name: [...name].slice(0, NAME_MAX).join(''),
        iod_ids: iod_ids.map(id => id.toHexString()),
      }
      await setImmediate()
    }
  }
}

/**
 * Creates the overlay: campaigns with the ids of their IODs, cached for `keptMs`. It omits empty campaigns and, beyond
 * `idsMax` ids, the largest campaigns.
 */
export const createCampaignOverlay = (
  model: CampaignModel,
  { keptMs = KEPT_MS, idsMax = IDS_MAX } = {},
): (() => Promise<Download>) => {
  const building = createSingleFlight<'all', Download>()
  let kept: { at: number; download: Download } | undefined
  const build = async (): Promise<Download> => {
    const at = Date.now()
    const bytes = await encodeCampaigns(readBatches(model, await listBatches(model, idsMax)))
    const etag = `"${createHash('sha256').update(bytes).digest('base64url')}"`
    const download = { etag, size: bytes.length, make: async () => ({ etag, bytes }) }
    kept = { at, download }
    return download
  }
  return async () => (kept && Date.now() - kept.at < keptMs ? kept.download : building('all', build))
}
