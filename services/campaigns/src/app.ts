import { campaignCommentsApi } from '@iodine/contracts'
import { type ServiceDeps, type StoreService, serveComments, startStoreService } from '@iodine/service-kit'
import { addAnalyticsRoutes } from './analytics/routes/analytics.js'
import { addCampaignRoutes } from './campaigns/routes/campaigns.js'
import { addInternalRoutes } from './campaigns/routes/internal.js'
import type { CampaignsConfig } from './config.js'
import { addFeedRoutes } from './feeds/routes/feeds.js'
import { addMispFeedRoutes } from './feeds/routes/misp-feed.js'
import { addSharingRoutes } from './feeds/routes/sharing.js'
import { addImportRoutes } from './imports/routes/imports.js'
import { addDraftRoutes } from './reports/routes/drafts.js'
import { addReportPages } from './reports/routes/pages.js'
import { addReviewRoutes } from './reports/routes/reviews.js'
import { createStore } from './store.js'
import { addSubscriptionRoutes } from './subscriptions/routes/subscriptions.js'
import { addProposalRoutes, addTechniqueRoutes } from './techniques/routes/techniques.js'

/** Starts the service of campaigns: named collections of IODs. */
export const createApp = (config: CampaignsConfig, deps?: ServiceDeps): Promise<StoreService> =>
  startStoreService('campaigns', config, deps, service => {
    const store = createStore(service, config)
    addCampaignRoutes(service, store, config)
    addInternalRoutes(service, store, config)
    serveComments(service, campaignCommentsApi, store.comments)
    addImportRoutes(service, store)
    addSharingRoutes(service, store)
    addTechniqueRoutes(service, store)
    addProposalRoutes(service, store, config)
    addDraftRoutes(service, store, config)
    addReviewRoutes(service, store, config)
    addReportPages(service, store, config)
    addSubscriptionRoutes(service, store)
    addFeedRoutes(service, store)
    addMispFeedRoutes(service, store)
    addAnalyticsRoutes(service, store)
  })
