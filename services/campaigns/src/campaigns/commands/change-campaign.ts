import { inTransaction } from '@iodine/service-kit'
import type { ClientSession, QueryFilter, UpdateQuery } from 'mongoose'
import type { Store } from '../../models.js'
import { type CampaignDoc, CHANGED } from '../models/campaign.js'

/** Changes that follow each other within this time are published together. */
const FOLLOW_MS = 2_000

/**
 * Changes a campaign and the date of its last change. If it is published, the same transaction enqueues the publication
 * of the change. It also enqueues the event for those who watch.
 * @param userId who changes it; null for a pulled feed
 * @returns the campaign after the change; null if the filter selects none
 */
export const changeCampaign = async (
  store: Pick<Store, 'mongo' | 'campaigns' | 'work'>,
  userId: string | null,
  filter: QueryFilter<CampaignDoc>,
  update: UpdateQuery<CampaignDoc>,
  session?: ClientSession,
): Promise<CampaignDoc | null> => {
  const { mongo, campaigns, work } = store
  if (!session) return inTransaction(mongo, started => changeCampaign(store, userId, filter, update, started))
  const doc = await campaigns
    .findOneAndUpdate(filter, { ...update, ...CHANGED }, { session, returnDocument: 'after' })
    .select('+published')
    .lean<CampaignDoc>()
  if (doc)
    await work.changes.add({ id: doc._id.toHexString(), user_id: userId }, { dueIn: FOLLOW_MS, session })
  if (doc?.published)
    await work.publications.add({ id: doc._id.toHexString() }, { dueIn: FOLLOW_MS, session })
  return doc
}
