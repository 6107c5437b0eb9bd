import { type ServiceDeps, type StoreService, startStoreService } from '@iodine/service-kit'
import type { CollectorConfig } from './config.js'
import { dropCounts } from './migrations/0001-drop-counts.js'
import { createRecordModels } from './models/record.js'
import { addRecordRoutes } from './routes/records.js'

/** Records that users collected from social media. */
export const createApp = (config: CollectorConfig, deps?: ServiceDeps): Promise<StoreService> =>
  startStoreService(
    'collector',
    config,
    deps,
    service => addRecordRoutes(service, createRecordModels(service.mongo, config), config),
    [dropCounts],
  )
