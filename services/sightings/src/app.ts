import { type ServiceDeps, type StoreService, startStoreService } from '@iodine/service-kit'
import type { SightingsConfig } from './config.js'
import { foldings } from './migrations/0001-foldings.js'
import { outbox } from './migrations/0002-outbox.js'
import { createModels } from './models/index.js'
import { addCoordinationRoutes } from './routes/coordination.js'
import { addSightingRoutes } from './routes/sightings.js'
import { createSecrets } from './store.js'

/** Sightings: where the posts that users collected were seen, by what they say, link to and show. */
export const createApp = (config: SightingsConfig, deps?: ServiceDeps): Promise<StoreService> =>
  startStoreService(
    'sightings',
    config,
    deps,
    service => {
      const models = createModels(service.mongo)
      const secrets = createSecrets(models)
      addSightingRoutes(service, models, secrets, config)
      addCoordinationRoutes(service, models, secrets)
    },
    [foldings, outbox],
  )
