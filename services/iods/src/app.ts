import { createStoreService, prepareModels, type ServiceDeps, type StoreService } from '@iodine/service-kit'
import type { IodsConfig } from './config.js'
import { createIodModel } from './models/iod.js'

/** Indicators of disinformation and the votes on them. */
export const createApp = async (config: IodsConfig, deps: ServiceDeps = {}): Promise<StoreService> => {
  const service = await createStoreService('iods', config, deps)
  try {
    createIodModel(service.mongo)
    await prepareModels(service.mongo)
  } catch (error) {
    await service.close()
    throw error
  }
  return service
}
