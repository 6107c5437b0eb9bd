import { type ServiceDeps, type StoreService, startStoreService } from '@iodine/service-kit'
import type { SightingsConfig } from './config.js'
import { createModels } from './models/sightings.js'
import { addSightingsRoutes } from './routes/sightings.js'

/** Sightings: what each user keeps for themselves. */
export const createApp = (config: SightingsConfig, deps?: ServiceDeps): Promise<StoreService> =>
  startStoreService('sightings', config, deps, service =>
    addSightingsRoutes(service, createModels(service.mongo)),
  )
