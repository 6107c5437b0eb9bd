import { type ServiceDeps, type StoreService, startStoreService } from '@iodine/service-kit'
import type { CampaignsConfig } from './config.js'
import { searchNames } from './migrations/0001-search-names.js'
import { datedChanges } from './migrations/0002-date-changes.js'
import { caseFolding } from './migrations/0003-case-folding.js'
import { createModels } from './models/index.js'
import { addCampaignRoutes } from './routes/campaigns.js'
import { addFeedRoutes } from './routes/feeds.js'
import { addImportRoutes } from './routes/imports.js'
import { addMispFeedRoutes } from './routes/misp-feed.js'
import { addSubscriptionRoutes } from './routes/subscriptions.js'
import { addTechniqueRoutes } from './routes/techniques.js'

/** Campaigns: named collections of IODs. */
export const createApp = (config: CampaignsConfig, deps?: ServiceDeps): Promise<StoreService> =>
  startStoreService(
    'campaigns',
    config,
    deps,
    service => {
      const models = createModels(service.mongo, config)
      addCampaignRoutes(service, models, config)
      addImportRoutes(service, models, config)
      addTechniqueRoutes(service, models)
      addSubscriptionRoutes(service, models)
      addFeedRoutes(service, models)
      addMispFeedRoutes(service, models)
    },
    [searchNames, datedChanges, caseFolding],
  )
