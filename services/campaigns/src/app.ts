import { createStoreService, prepareDatabase, type ServiceDeps, type StoreService } from '@iodine/service-kit'
import type { CampaignsConfig } from './config.js'
import { migrations } from './migrations/index.js'
import { createModels } from './models/campaign.js'
import { addCampaignRoutes } from './routes/campaigns.js'

/** Campaigns: named collections of IODs. */
export const createApp = async (config: CampaignsConfig, deps: ServiceDeps = {}): Promise<StoreService> => {
  const service = await createStoreService('campaigns', config, deps)
  try {
    const models = createModels(service.mongo, config)
    await prepareDatabase(service, migrations)
    addCampaignRoutes(service, models, config)
  } catch (error) {
    await service.close()
    throw error
  }
  return service
}
