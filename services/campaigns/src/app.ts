import { type ServiceDeps, type StoreService, startStoreService } from '@iodine/service-kit'
import { importWork } from './commands/import-work.js'
import { publicationWork } from './commands/step-publication.js'
import type { CampaignsConfig } from './config.js'
import { searchNames } from './migrations/0001-search-names.js'
import { datedChanges } from './migrations/0002-date-changes.js'
import { caseFolding } from './migrations/0003-case-folding.js'
import { outbox } from './migrations/0004-outbox.js'
import { type CampaignModels, createModels } from './models/index.js'
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
      const { outbox, peers, users, log } = service
      const stepping = () => ({ models, peers, log, memberMax: config.QUOTA_CAMPAIGN_IODS })
      const models: CampaignModels = createModels(service.mongo, config, {
        imports: outbox.kind('import', importWork(stepping)),
        publications: outbox.kind(
          'publication',
          publicationWork(() => ({ models, peers, users })),
        ),
      })
      addCampaignRoutes(service, models, config)
      addImportRoutes(service, models)
      addTechniqueRoutes(service, models)
      addSubscriptionRoutes(service, models)
      addFeedRoutes(service, models)
      addMispFeedRoutes(service, models)
    },
    [searchNames, datedChanges, caseFolding, outbox],
  )
