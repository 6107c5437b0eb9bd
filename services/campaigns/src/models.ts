import { type Connection, createQuotas, type Kind } from '@iodine/service-kit'
import { type CampaignDoc, campaignSchema } from './campaigns/models/campaign.js'
import type { CampaignsConfig } from './config.js'
import {
  type FeedEventDoc,
  type FeedEventPartDoc,
  feedEventPartSchema,
  feedEventSchema,
} from './feeds/models/feed-event.js'
import {
  type ClockDoc,
  clockSchema,
  type PublicationDoc,
  type PublishedDoc,
  publicationSchema,
  publishedSchema,
} from './feeds/models/publication.js'
import { type ForeignDoc, foreignSchema } from './imports/models/foreign.js'
import {
  type ImportDoc,
  type ImportPartDoc,
  importPartSchema,
  importSchema,
} from './imports/models/import.js'
import {
  type BroughtDoc,
  broughtSchema,
  type SubscriptionDoc,
  subscriptionSchema,
} from './subscriptions/models/subscription.js'

/** Quota counters per user. */
type QuotaCounter = 'campaigns' | 'import_bytes' | 'published_bytes'

type Limits = Pick<CampaignsConfig, 'QUOTA_CAMPAIGNS' | 'QUOTA_IMPORT_BYTES' | 'QUOTA_PUBLISHED_BYTES'>

export const createModels = (mongo: Connection, limits: Limits) => {
  const campaigns = mongo.model<CampaignDoc>('Campaign', campaignSchema)
  const imports = mongo.model<ImportDoc>('Import', importSchema)
  const publications = mongo.model<PublicationDoc>('Publication', publicationSchema)
  const quotas = createQuotas<QuotaCounter>({
    mongo,
    limits: {
      campaigns: limits.QUOTA_CAMPAIGNS,
      import_bytes: limits.QUOTA_IMPORT_BYTES,
      published_bytes: limits.QUOTA_PUBLISHED_BYTES,
    },
    async owners() {
      const owners = [
        await campaigns.distinct('created_by'),
        await imports.distinct('user_id'),
        await publications.distinct('user_id'),
      ].flat()
      return [...new Map(owners.map(owner => [String(owner), owner])).values()]
    },
    async count(owner, session) {
      const bytes = [{ $match: { user_id: owner } }, { $group: { _id: null, bytes: { $sum: '$bytes' } } }]
      const [imported] = await imports.aggregate<{ bytes: number }>(bytes).session(session)
      const [published] = await publications.aggregate<{ bytes: number }>(bytes).session(session)
      return {
        campaigns: await campaigns.countDocuments({ created_by: owner }).session(session),
        import_bytes: imported?.bytes ?? 0,
        published_bytes: published?.bytes ?? 0,
      }
    },
  })
  return {
    mongo,
    campaigns,
    imports,
    importParts: mongo.model<ImportPartDoc>('ImportPart', importPartSchema),
    publications,
    published: mongo.model<PublishedDoc>('Published', publishedSchema),
    feedEvents: mongo.model<FeedEventDoc>('FeedEvent', feedEventSchema),
    feedEventParts: mongo.model<FeedEventPartDoc>('FeedEventPart', feedEventPartSchema),
    clock: mongo.model<ClockDoc>('FeedClock', clockSchema),
    foreign: mongo.model<ForeignDoc>('Foreign', foreignSchema),
    subscriptions: mongo.model<SubscriptionDoc>('Subscription', subscriptionSchema),
    brought: mongo.model<BroughtDoc>('Brought', broughtSchema),
    quotas,
  }
}
export type CampaignModels = ReturnType<typeof createModels>

/** The service's models and outbox kinds. */
export interface Store extends CampaignModels {
  work: {
    imports: Kind<{ id: string }>
    publications: Kind<{ id: string }>
  }
}
