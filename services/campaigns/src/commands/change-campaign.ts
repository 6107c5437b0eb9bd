import { inTransaction } from '@iodine/service-kit'
import type { ClientSession, PipelineStage, QueryFilter, UpdateQuery } from 'mongoose'
import { type CampaignDoc, CHANGED } from '../models/campaign.js'
import type { Store } from '../models/index.js'

/** Changes that follow each other within this time are published together. */
const FOLLOW_MS = 2_000

/** Campaigns whose changes need no transaction. */
const PLAIN = { published: { $ne: true }, isEnding: { $ne: true } }

/**
 * Changes a campaign and the date of its last change. If it is published, the same transaction enqueues the publication of
 * the change.
 * @param session without one, a published campaign is changed in a transaction of its own, any other by a plain update
 * @returns the campaign after the change; null if the filter selects none
 */
export const changeCampaign = async (
  store: Store,
  filter: QueryFilter<CampaignDoc>,
  update: UpdateQuery<CampaignDoc> | PipelineStage.Set[],
  session?: ClientSession,
): Promise<CampaignDoc | null> => {
  const { mongo, campaigns, work } = store
  const dated = Array.isArray(update)
    ? [...update, { $set: { changed_at: '$$NOW' } }]
    : { ...update, ...CHANGED }
  const write = (which: QueryFilter<CampaignDoc>) =>
    campaigns
      .findOneAndUpdate(which, dated, { session, returnDocument: 'after', updatePipeline: true })
      .select('+published')
      .lean<CampaignDoc>()
  if (!session) {
    const changed = await write({ ...filter, ...PLAIN })
    return changed ?? inTransaction(mongo, started => changeCampaign(store, filter, update, started))
  }
  const doc = await write(filter)
  if (doc?.published)
    await work.publications.add({ id: doc._id.toHexString() }, { dueIn: FOLLOW_MS, session })
  return doc
}
