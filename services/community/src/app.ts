import { createStoreService, prepareModels, type ServiceDeps, type StoreService } from '@iodine/service-kit'
import type { CommunityConfig } from './config.js'
import { createModels } from './models/index.js'
import { addCommunityRoutes } from './routes/community.js'

/** Public profiles and their contributions: a projection of the other services' events. */
export const createApp = async (config: CommunityConfig, deps: ServiceDeps = {}): Promise<StoreService> => {
  const service = await createStoreService('community', config, deps)
  try {
    const models = createModels(service.mongo)
    await prepareModels(service.mongo)
    addCommunityRoutes(service, models)
  } catch (error) {
    await service.close()
    throw error
  }
  return service
}
