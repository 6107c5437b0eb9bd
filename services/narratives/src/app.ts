import { type ServiceDeps, type StoreService, startStoreService } from '@iodine/service-kit'
import type { NarrativesConfig } from './config.js'
import { addCanonicalRoutes } from './routes/canonical.js'
import { addGraphRoutes } from './routes/graph.js'
import { addInternalRoutes } from './routes/internal.js'
import { addNarrativeRoutes } from './routes/narratives.js'
import { createStore } from './store.js'

/** The narratives service: narratives, their extracted triplets, and the graph built from these. */
export const createApp = (config: NarrativesConfig, deps?: ServiceDeps): Promise<StoreService> =>
  startStoreService('narratives', config, deps, service => {
    const store = createStore(service, config)
    addNarrativeRoutes(store, config.EXTRACTION_WAIT_MS)
    addCanonicalRoutes(store)
    addGraphRoutes(store)
    addInternalRoutes(store, config)
  })
