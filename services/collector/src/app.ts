import { createStoreService, prepareModels, type ServiceDeps, type StoreService } from '@iodine/service-kit'
import type { CollectorConfig } from './config.js'
import { createRecordModel } from './models/record.js'

/** What users collected from social sources. */
export const createApp = async (config: CollectorConfig, deps: ServiceDeps = {}): Promise<StoreService> => {
  const service = await createStoreService('collector', config, deps)
  try {
    createRecordModel(service.mongo)
    await prepareModels(service.mongo)
  } catch (error) {
    await service.close()
    throw error
  }
  return service
}
