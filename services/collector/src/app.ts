import { createStoreService, prepareModels, type ServiceDeps, type StoreService } from '@iodine/service-kit'
import type { CollectorConfig } from './config.js'
import { createRecordModels, dropFormerCounts } from './models/record.js'
import { addRecordRoutes } from './routes/records.js'

/** What users collected from social sources. */
export const createApp = async (config: CollectorConfig, deps: ServiceDeps = {}): Promise<StoreService> => {
  const service = await createStoreService('collector', config, deps)
  try {
    const models = createRecordModels(service.mongo, config)
    await prepareModels(service.mongo)
    await dropFormerCounts(service.mongo)
    addRecordRoutes(service, models, config)
  } catch (error) {
    await service.close()
    throw error
  }
  return service
}
