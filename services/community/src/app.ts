import { createStoreService, prepareModels, type ServiceDeps, type StoreService } from '@iodine/service-kit'
import type { CommunityConfig } from './config.js'
import { createContributionModel } from './models/contribution.js'
import { createUserModel } from './models/user.js'

/** Public profiles and their contributions: a projection of the other services' events. */
export const createApp = async (config: CommunityConfig, deps: ServiceDeps = {}): Promise<StoreService> => {
  const service = await createStoreService('community', config, deps)
  try {
    createUserModel(service.mongo)
    createContributionModel(service.mongo)
    await prepareModels(service.mongo)
  } catch (error) {
    await service.close()
    throw error
  }
  return service
}
