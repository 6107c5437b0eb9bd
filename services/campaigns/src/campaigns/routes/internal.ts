import { campaignsInternal } from '@iodine/contracts'
import {
  personalSource,
  type StoreService,
  servePersonalData,
  serveUsage,
  watchStorage,
} from '@iodine/service-kit'
import type { CampaignsConfig } from '../../config.js'
import { eraseUser } from '../../deletion/commands/forget-user.js'
import { personalPublication } from '../../feeds/presenters/publication.js'
import type { Store } from '../../models.js'
import { personalReports } from '../../reports/commands/forget.js'
import { personalQuotes } from '../../techniques/queries/quotes.js'
import { personalTechniques } from '../../techniques/queries/techniques.js'
import type { CampaignDoc } from '../models/campaign.js'
import { membersOf } from '../queries/members.js'
import { storedOf } from '../queries/stored.js'

/** Adds the routes for other services. */
export const addInternalRoutes = (
  service: StoreService,
  store: Store,
  { QUOTA_CAMPAIGN_IODS, STORAGE_ALARM_BYTES }: CampaignsConfig,
): void => {
  const { campaigns, comments, imports, publications, subscriptions, quotas } = store

  service.internal(campaignsInternal.getMembers, async ({ body: { ids } }) => membersOf(campaigns, ids))

  service.internal(campaignsInternal.nameCampaigns, async ({ body: { ids } }) => {
    const docs = await campaigns
      .find({ _id: { $in: ids } }, { name: 1 })
      .lean<Pick<CampaignDoc, '_id' | 'name'>[]>()
    return docs.map(({ _id, name }) => ({ id: _id.toHexString(), name }))
  })

  servePersonalData(service, {
    sources: [
      personalSource('campaign', campaigns, created_by => ({ created_by })),
      personalSource('import', imports, user_id => ({ user_id })),
      personalSource('subscription', subscriptions, user_id => ({ user_id })),
      personalTechniques(campaigns),
      ...personalQuotes(store.techniqueQuotes, store.proposals),
      ...personalReports(store),
      personalSource('publication', publications, user_id => ({ user_id }), personalPublication),
      comments.personal,
    ],
    forget: (userId, wishes) => eraseUser(store, userId, wishes),
  })

  serveUsage(service, quotas, async created_by => {
    const [fullest, own] = await Promise.all([
      campaigns.findOne({ created_by }).sort({ iod_count: -1 }).lean<CampaignDoc>(),
      quotas.own(created_by),
    ])
    const limit = own.campaign_iods ?? QUOTA_CAMPAIGN_IODS
    return { campaign_iods: { used: fullest?.iod_count ?? 0, limit } }
  })
  watchStorage(service, async () => {
    const stored = await storedOf(store)
    return { ...stored, share: stored.bytes / STORAGE_ALARM_BYTES }
  })
}
