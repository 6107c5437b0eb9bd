import { createStoreService, prepareDatabase, type ServiceDeps, type StoreService } from '@iodine/service-kit'
import type { NarrativesConfig } from './config.js'
import { migrations } from './migrations/index.js'
import { addGraphRoutes } from './routes/graph.js'
import { addInternalRoutes } from './routes/internal.js'
import { addNarrativeRoutes } from './routes/narratives.js'
import { createStore } from './store.js'

/** Narratives, the triplets extracted from them, and the graph that the triplets make. */
export const createApp = async (config: NarrativesConfig, deps: ServiceDeps = {}): Promise<StoreService> => {
  const service = await createStoreService('narratives', config, deps)
  try {
    const store = createStore(service, config)
    await prepareDatabase(service, migrations)
    addNarrativeRoutes(store, config.EXTRACTION_WAIT_MS)
    addGraphRoutes(store)
    addInternalRoutes(store, config)
  } catch (error) {
    await service.close()
    throw error
  }
  return service
}
