import { createStoreService, prepareDatabase, type ServiceDeps, type StoreService } from '@iodine/service-kit'
import type { CommunityConfig } from './config.js'
import { migrations } from './migrations/index.js'
import { createModels } from './models/index.js'
import { addCommunityRoutes } from './routes/community.js'

/** Public profiles and their contributions: a projection of the other services' events. */
export const createApp = async (config: CommunityConfig, deps: ServiceDeps = {}): Promise<StoreService> => {
  const service = await createStoreService('community', config, deps)
  try {
    const models = createModels(service.mongo)
    await prepareDatabase(service, migrations)
    addCommunityRoutes(service, models)
  } catch (error) {
    await service.close()
    throw error
  }
  return service
}
