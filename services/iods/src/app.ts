import { iodCommentsApi } from '@iodine/contracts'
import { type ServiceDeps, type StoreService, serveComments, startStoreService } from '@iodine/service-kit'
import { addAnalyticsRoutes } from './analytics/routes/analytics.js'
import type { IodsConfig } from './config.js'
import { addEvidenceRoutes } from './evidence/routes/evidence.js'
import { addInternalRoutes } from './iods/routes/internal.js'
import { addIodRoutes } from './iods/routes/iods.js'
import { terms } from './migrations/0001-terms.js'
import { createStore } from './store.js'

/** Starts the service of indicators of disinformation (IODs) and their votes. */
export const createApp = (config: IodsConfig, deps?: ServiceDeps): Promise<StoreService> =>
  startStoreService(
    'iods',
    config,
    deps,
    service => {
      const store = createStore(service, config)
      addIodRoutes(service, store)
      addInternalRoutes(service, store, config)
      addEvidenceRoutes(service, store)
      const load = addAnalyticsRoutes(service, store)
      serveComments(service, iodCommentsApi, store.comments)
      return async () => {
        if (config.ROLE !== 'jobs') load()
      }
    },
    [terms],
  )
