import { type ServiceDeps, type StoreService, startStoreService } from '@iodine/service-kit'
import type { CollectorConfig } from './config.js'
import { keysAndTimes } from './migrations/0003-keys-and-times.js'
import { readSealKey } from './policies/seal-key.js'
import { addCaptureRoutes } from './routes/captures.js'
import { addInternalRoutes } from './routes/internal.js'
import { addRecordRoutes } from './routes/records.js'
import { createStore } from './store.js'

/** Records that users collected from social media, and sealed captures of the pages. */
export const createApp = (config: CollectorConfig, deps?: ServiceDeps): Promise<StoreService> => {
  const key = readSealKey(config.SEAL_PRIVATE_KEY)
  const build = (service: StoreService) => {
    const store = createStore(service, config)
    addRecordRoutes(service, store)
    addCaptureRoutes(service, store, key)
    addInternalRoutes(service, store, config)
  }
  return startStoreService('collector', config, deps, build, [keysAndTimes])
}
