import { createStoreService, prepareDatabase, type ServiceDeps, type StoreService } from '@iodine/service-kit'
import type { CollectorConfig } from './config.js'
import { migrations } from './migrations/index.js'
import { createRecordModels } from './models/record.js'
import { addRecordRoutes } from './routes/records.js'

/** What users collected from social sources. */
export const createApp = async (config: CollectorConfig, deps: ServiceDeps = {}): Promise<StoreService> => {
  const service = await createStoreService('collector', config, deps)
  try {
    const models = createRecordModels(service.mongo, config)
    await prepareDatabase(service, migrations)
    addRecordRoutes(service, models, config)
  } catch (error) {
    await service.close()
    throw error
  }
  return service
}
