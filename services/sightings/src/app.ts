import { type ServiceDeps, type StoreService, startStoreService } from '@iodine/service-kit'
import type { SightingsConfig } from './config.js'
import { addCoordinationRoutes } from './routes/coordination.js'
import { addSightingRoutes } from './routes/sightings.js'
import { createStore } from './store.js'

/** Sightings: where the posts that users collected were seen, by what they say, link to and show. */
export const createApp = (config: SightingsConfig, deps?: ServiceDeps): Promise<StoreService> =>
  startStoreService('sightings', config, deps, service => {
    const store = createStore(service)
    addSightingRoutes(service, store, config)
    addCoordinationRoutes(service, store)
  })
