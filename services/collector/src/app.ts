import { type ServiceDeps, type StoreService, startStoreService } from '@iodine/service-kit'
import { addAnalyticsRoutes } from './analytics/routes/analytics.js'
import { readSealKey } from './captures/policies/seal-key.js'
import { addCaptureRoutes } from './captures/routes/captures.js'
import { addInternalRoutes } from './captures/routes/internal.js'
import { addSealRoutes } from './captures/routes/seals.js'
import type { CollectorConfig } from './config.js'
import { addRecordImportRoutes } from './imports/routes/record-imports.js'
import { facts } from './migrations/0001-facts.js'
import { novelty } from './migrations/0002-novelty.js'
import { addRecordRoutes } from './records/routes/records.js'
import { createStore } from './store.js'

/** Creates the collector service: records that users collected from social media, and sealed captures of pages. */
export const createApp = (config: CollectorConfig, deps?: ServiceDeps): Promise<StoreService> => {
  const key = readSealKey(config.SEAL_PRIVATE_KEY)
  return startStoreService(
    'collector',
    config,
    deps,
    service => {
      const store = createStore(service, config)
      addRecordRoutes(service, store)
      addRecordImportRoutes(service, store)
      addCaptureRoutes(service, store)
      addSealRoutes(service, store, key)
      addInternalRoutes(service, store, config)
      addAnalyticsRoutes(service, store)
    },
    [facts, novelty],
  )
}
