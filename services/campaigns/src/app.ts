import { type ServiceDeps, type StoreService, startStoreService } from '@iodine/service-kit'
import type { CampaignsConfig } from './config.js'
import { addCampaignRoutes } from './routes/campaigns.js'
import { addFeedRoutes } from './routes/feeds.js'
import { addImportRoutes } from './routes/imports.js'
import { addMispFeedRoutes } from './routes/misp-feed.js'
import { addSubscriptionRoutes } from './routes/subscriptions.js'
import { addTechniqueRoutes } from './routes/techniques.js'
import { createStore } from './store.js'

/** Campaigns: named collections of IODs. */
export const createApp = (config: CampaignsConfig, deps?: ServiceDeps): Promise<StoreService> =>
  startStoreService('campaigns', config, deps, service => {
    const store = createStore(service, config)
    addCampaignRoutes(service, store, config)
    addImportRoutes(service, store)
    addTechniqueRoutes(service, store)
    addSubscriptionRoutes(service, store)
    addFeedRoutes(service, store)
    addMispFeedRoutes(service, store)
  })
