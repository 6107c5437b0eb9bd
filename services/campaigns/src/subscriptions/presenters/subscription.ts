import type { Subscription } from '@iodine/contracts'
import type { UserDirectory } from '@iodine/service-kit'
import type { CampaignDoc } from '../../campaigns/models/campaign.js'
import type { ImportDoc } from '../../imports/models/import.js'
import { countOfKept } from '../../imports/queries/kept-objects.js'
import type { CampaignModels } from '../../models.js'
import type { SubscriptionDoc } from '../models/subscription.js'

/** Presents subscriptions to administrators, in the given order. `sealed` must have been read. */
export const presentSubscriptions = async (
  { campaigns, imports }: CampaignModels,
  users: UserDirectory,
  docs: readonly SubscriptionDoc[],
): Promise<Subscription[]> => {
  const ids = new Set(docs.flatMap(({ user_id }) => user_id?.toHexString() ?? []))
  const [names, found, kept] = await Promise.all([
    ids.size > 0 ? users.usernames(ids) : new Map<string, string>(),
    campaigns
      .find({ _id: { $in: docs.map(doc => doc.campaign_id) } })
      .select('name')
      .lean<Pick<CampaignDoc, '_id' | 'name'>[]>(),
    imports
      .find({ _id: { $in: docs.flatMap(({ import_id }) => import_id ?? []) } })
      .select('kept')
      .lean<Pick<ImportDoc, '_id' | 'kept'>[]>(),
  ])
  const campaignNames = new Map(found.map(({ _id, name }) => [_id.toHexString(), name]))
  const counts = new Map(kept.map(({ _id, kept }) => [_id.toHexString(), countOfKept(kept)]))
  return docs.map(doc => ({
    id: doc._id.toHexString(),
    url: doc.url,
    kind: doc.kind,
    campaign_id: doc.campaign_id.toHexString(),
    campaign_name: campaignNames.get(doc.campaign_id.toHexString()) ?? null,
    username: (doc.user_id && names.get(doc.user_id.toHexString())) ?? null,
    has_secret: doc.sealed !== null,
    public_key: doc.public_key,
    every: doc.every,
    paused: doc.paused,
    state: doc.state,
    next_at:
      doc.paused || doc.state === 'fetching' || doc.state === 'importing' ? null : doc.next_at.toISOString(),
    last: doc.last && { ...doc.last, at: doc.last.at.toISOString() },
    kept: (doc.import_id && counts.get(doc.import_id.toHexString())) ?? 0,
    created_at: doc.created_at.toISOString(),
  }))
}
