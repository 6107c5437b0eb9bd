import { type Iod, iodsInternal } from '@iodine/contracts'
import { HttpError, notFound, type Peers } from '@iodine/service-kit'
import type { CampaignDoc, CampaignModel } from '../models/campaign.js'

/** IODs asked for at once: one call for nearly every campaign, and well within a call's time. */
const BATCH = 1_000
/** Of a larger campaign the first batch is small, so that its beginning is there as soon as a small campaign. */
const FIRST_BATCH = 100

/** A campaign with its members' ids. Throws 404. */
export const findCampaign = async (model: CampaignModel, id: string): Promise<CampaignDoc> => {
  const doc = await model.findById(id).select('+iod_ids').lean<CampaignDoc>()
  if (!doc) throw notFound()
  return doc
}

/**
 * A campaign's IODs in the order they were added, a batch at a time; the next one is under way while one is used.
 * Throws 503 while the iods service is down.
 */
export async function* iodBatches(peers: Peers, { iod_ids = [] }: CampaignDoc): AsyncGenerator<Iod[]> {
  const ids = iod_ids.map(id => id.toHexString())
  const sizeAt = (at: number) => (at === 0 && ids.length > BATCH ? FIRST_BATCH : BATCH)
  const ask = (at: number): Promise<Iod[]> | undefined => {
    if (at >= ids.length) return undefined
    const asked = ids.slice(at, at + sizeAt(at))
    const answer = peers.call('iods', iodsInternal.getIods, { body: { ids: asked } }).then(iods => {
      const known = new Map(iods.map(iod => [iod.id, iod]))
      return asked.flatMap(id => known.get(id) ?? [])
    })
    // Nobody may be waiting any more when it fails.
    answer.catch(() => {})
    return answer
  }
  let next = ask(0)
  for (let at = sizeAt(0); next; at += BATCH) {
    const batch: Iod[] = await next
    next = ask(at)
    yield batch
  }
}

/** All of a campaign's IODs. Throws 503 while the iods service is down. */
export const fetchIods = async (peers: Peers, campaign: CampaignDoc): Promise<Iod[]> => {
  const iods: Iod[] = []
  for await (const batch of iodBatches(peers, campaign)) iods.push(...batch)
  return iods
}

/** For a failure to read IODs: null where their service is down; anything else is thrown on. */
export const nullWhenDown = (error: unknown): null => {
  if (error instanceof HttpError && error.status >= 500) return null
  throw error
}
