import { type Iod, iodsInternal, LIMITS } from '@iodine/contracts'
import { HttpError, notFound, type Peers } from '@iodine/service-kit'
import type { CampaignDoc, CampaignModel } from '../models/campaign.js'

/** IODs per request: one request for nearly every campaign, and well within the timeout. */
const BATCH = LIMITS.campaignBatch

/** Reads a campaign with its members' ids, and further fields that are not read by default. Throws 404. */
export const findCampaign = async (
  model: CampaignModel,
  id: string,
  ...fields: `+${keyof CampaignDoc}`[]
): Promise<CampaignDoc> => {
  const doc = await model
    .findById(id)
    .select(['+iod_ids', ...fields])
    .lean<CampaignDoc>()
  if (!doc) throw notFound()
  return doc
}

/**
 * Yields a campaign's IODs in the order of their addition, in batches. The next batch is fetched while the
 * consumer uses the current one. Throws 503 while the iods service is down.
 */
export async function* iodBatches(peers: Peers, { iod_ids = [] }: CampaignDoc): AsyncGenerator<Iod[]> {
  const ids = iod_ids.map(id => id.toHexString())
  const fetchBatch = (at: number): Promise<Iod[]> | undefined => {
    if (at >= ids.length) return undefined
    const requested = ids.slice(at, at + BATCH)
    const answer = peers.call('iods', iodsInternal.getIods, { body: { ids: requested } }).then(iods => {
      const known = new Map(iods.map(iod => [iod.id, iod]))
      return requested.flatMap(id => known.get(id) ?? [])
    })
    // Prevents an unhandled rejection when the consumer has stopped.
    answer.catch(() => {})
    return answer
  }
  let next = fetchBatch(0)
  for (let at = BATCH; next; at += BATCH) {
    const batch: Iod[] = await next
    next = fetchBatch(at)
    yield batch
  }
}

/** Fetches all IODs of a campaign. Throws 503 while the iods service is down. */
export const fetchIods = async (peers: Peers, campaign: CampaignDoc): Promise<Iod[]> => {
  const iods: Iod[] = []
  for await (const batch of iodBatches(peers, campaign)) iods.push(...batch)
  return iods
}

/** Returns null for the error of a service that is down; rethrows other errors. */
export const nullWhenDown = (error: unknown): null => {
  if (error instanceof HttpError && error.status >= 500) return null
  throw error
}
