import { type ServiceDeps, type StoreService, startStoreService } from '@iodine/service-kit'
import type { SightingsConfig } from './config.js'
import { addCoordinationRoutes } from './coordination/routes/coordination.js'
import { addSightingRoutes } from './sightings/routes/sightings.js'
import { createStore } from './store.js'

/** Creates the sightings service: an index of collected posts by text, links and media, and coordination runs. */
export const createApp = (config: SightingsConfig, deps?: ServiceDeps): Promise<StoreService> =>
  startStoreService('sightings', config, deps, service => {
    const store = createStore(service)
    addSightingRoutes(service, store, config)
    addCoordinationRoutes(service, store)
  })
