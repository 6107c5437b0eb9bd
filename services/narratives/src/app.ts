import { type ServiceDeps, type StoreService, startStoreService } from '@iodine/service-kit'
import type { NarrativesConfig } from './config.js'
import { nodeKeys } from './migrations/0001-node-keys.js'
import { canonicalNarratives } from './migrations/0002-canonical-narratives.js'
import { caseFolding } from './migrations/0003-case-folding.js'
import { outbox } from './migrations/0004-outbox.js'
import { addCanonicalRoutes } from './routes/canonical.js'
import { addGraphRoutes } from './routes/graph.js'
import { addInternalRoutes } from './routes/internal.js'
import { addNarrativeRoutes } from './routes/narratives.js'
import { createStore } from './store.js'

/** The narratives service: narratives, their extracted triplets, and the graph built from these. */
export const createApp = (config: NarrativesConfig, deps?: ServiceDeps): Promise<StoreService> =>
  startStoreService(
    'narratives',
    config,
    deps,
    service => {
      const store = createStore(service, config)
      addNarrativeRoutes(store, config.EXTRACTION_WAIT_MS)
      addCanonicalRoutes(store)
      addGraphRoutes(store)
      addInternalRoutes(store, config)
    },
    [nodeKeys, canonicalNarratives, caseFolding, outbox],
  )
