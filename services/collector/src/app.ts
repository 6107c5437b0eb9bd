import { type ServiceDeps, type StoreService, startStoreService } from '@iodine/service-kit'
import { createBlobs } from './blobs/index.js'
import type { CollectorConfig } from './config.js'
import { dropCounts } from './migrations/0001-drop-counts.js'
import { dropLogState } from './migrations/0002-drop-log-state.js'
import { keysAndTimes } from './migrations/0003-keys-and-times.js'
import { outbox } from './migrations/0004-outbox.js'
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
    const blobs = createBlobs(config.BLOBS_URL, service.mongo)
    addRecordRoutes(service, store)
    addCaptureRoutes(service, store, blobs, key)
    addInternalRoutes(service, store, blobs, config)
  }
  return startStoreService('collector', config, deps, build, [dropCounts, dropLogState, keysAndTimes, outbox])
}
