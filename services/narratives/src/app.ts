import { type ServiceDeps, type StoreService, startStoreService } from '@iodine/service-kit'
import { addAnalyticsRoutes } from './analytics/routes/analytics.js'
import { addCanonicalRoutes } from './canon/routes/canonical.js'
import { addDecisionRoutes } from './canon/routes/decisions.js'
import type { NarrativesConfig } from './config.js'
import { addGraphRoutes } from './graph/routes/graph.js'
import { addInternalRoutes } from './narratives/routes/internal.js'
import { addNarrativeRoutes } from './narratives/routes/narratives.js'
import { createStore } from './store.js'

/** Creates the narratives service: narratives, their extracted triplets, and the graph built from these. */
export const createApp = (config: NarrativesConfig, deps?: ServiceDeps): Promise<StoreService> =>
  startStoreService('narratives', config, deps, service => {
    const store = createStore(service, config)
    addNarrativeRoutes(store, config.EXTRACTION_WAIT_MS)
    addCanonicalRoutes(store)
    addDecisionRoutes(store)
    addGraphRoutes(store)
    addInternalRoutes(store, config)
    addAnalyticsRoutes(store)
  })
