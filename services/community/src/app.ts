import { type ServiceDeps, type StoreService, startStoreService } from '@iodine/service-kit'
import type { CommunityConfig } from './config.js'
import { createModels } from './models/index.js'
import { addCommunityRoutes } from './routes/community.js'

/** Creates the community service: public profiles and contributions, a projection of the other services' events. */
export const createApp = (config: CommunityConfig, deps?: ServiceDeps): Promise<StoreService> =>
  startStoreService('community', config, deps, service =>
    addCommunityRoutes(service, createModels(service.mongo)),
  )
