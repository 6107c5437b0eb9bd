import { type Comments, type Connection, createQuotas, type Kind, modelOf } from '@iodine/service-kit'
import { campaignSchema } from './campaigns/models/campaign.js'
import type { CampaignChange } from './campaigns/models/campaign-change.js'
import type { CampaignsConfig } from './config.js'
import { feedEventPartSchema, feedEventSchema } from './feeds/models/feed-event.js'
import { clockSchema, publicationSchema, publishedSchema } from './feeds/models/publication.js'
import { foreignSchema } from './imports/models/foreign.js'
import { importPartSchema, importSchema } from './imports/models/import.js'
import type { QuotedUsers } from './reports/models/quoted-users.js'
import {
  reportDecisionSchema,
  reportFileSchema,
  reportSchema,
  reportVersionSchema,
} from './reports/models/report.js'
import { broughtSchema, subscriptionSchema } from './subscriptions/models/subscription.js'
import { proposalSchema } from './techniques/models/proposal.js'
import { techniqueQuoteSchema } from './techniques/models/technique-quote.js'

/** Quota counters per user. */
type QuotaCounter = 'campaigns' | 'import_bytes' | 'published_bytes'

type Limits = Pick<CampaignsConfig, 'QUOTA_CAMPAIGNS' | 'QUOTA_IMPORT_BYTES' | 'QUOTA_PUBLISHED_BYTES'>

export const createModels = (mongo: Connection, limits: Limits) => {
  const campaigns = modelOf(mongo, 'Campaign', campaignSchema)
  const imports = modelOf(mongo, 'Import', importSchema)
  const publications = modelOf(mongo, 'Publication', publicationSchema)
  const reportVersions = modelOf(mongo, 'ReportVersion', reportVersionSchema)
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
        await reportVersions.distinct('user_id'),
      ].flat()
      return [...new Map(owners.map(owner => [String(owner), owner])).values()]
    },
    async count(owner, session) {
      const bytes = [{ $match: { user_id: owner } }, { $group: { _id: null, bytes: { $sum: '$bytes' } } }]
      const [imported] = await imports.aggregate<{ bytes: number }>(bytes).session(session)
      const [published] = await publications.aggregate<{ bytes: number }>(bytes).session(session)
      const [reported] = await reportVersions.aggregate<{ bytes: number }>(bytes).session(session)
      return {
        campaigns: await campaigns.countDocuments({ created_by: owner }).session(session),
        import_bytes: imported?.bytes ?? 0,
        published_bytes: (published?.bytes ?? 0) + (reported?.bytes ?? 0),
      }
    },
  })
  return {
    mongo,
    campaigns,
    imports,
    importParts: modelOf(mongo, 'ImportPart', importPartSchema),
    publications,
    published: modelOf(mongo, 'Published', publishedSchema),
    feedEvents: modelOf(mongo, 'FeedEvent', feedEventSchema),
    feedEventParts: modelOf(mongo, 'FeedEventPart', feedEventPartSchema),
    clock: modelOf(mongo, 'FeedClock', clockSchema),
    foreign: modelOf(mongo, 'Foreign', foreignSchema),
    subscriptions: modelOf(mongo, 'Subscription', subscriptionSchema),
    brought: modelOf(mongo, 'Brought', broughtSchema),
    techniqueQuotes: modelOf(mongo, 'TechniqueQuote', techniqueQuoteSchema),
    proposals: modelOf(mongo, 'TechniqueProposal', proposalSchema),
    reports: modelOf(mongo, 'Report', reportSchema),
    reportVersions,
    reportFiles: modelOf(mongo, 'ReportFile', reportFileSchema),
    reportDecisions: modelOf(mongo, 'ReportDecision', reportDecisionSchema),
    quotas,
  }
}
export type CampaignModels = ReturnType<typeof createModels>

/** The service's models and outbox kinds. */
export interface Store extends CampaignModels {
  comments: Comments
  work: {
    changes: Kind<CampaignChange>
    imports: Kind<{ id: string }>
    publications: Kind<{ id: string }>
    proposals: Kind<{ id: string }>
    reports: Kind<{ id: string }>
    quotes: Kind<QuotedUsers>
  }
}
