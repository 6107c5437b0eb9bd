import { type ServiceDeps, type StoreService, startStoreService } from '@iodine/service-kit'
import type { IodsConfig } from './config.js'
import { createModels } from './models/iod.js'
import { createLiveCatalog } from './queries/live-catalog.js'
import { addIodRoutes } from './routes/iods.js'

/** Indicators of disinformation (IODs) and their votes. */
export const createApp = (config: IodsConfig, deps?: ServiceDeps): Promise<StoreService> =>
  startStoreService('iods', config, deps, service => {
    const models = createModels(service.mongo, config)
    const catalog = createLiveCatalog(models, service)
    service.readyWhen('catalog', () => catalog.current())
    // Loads the catalog at start instead of at the first request.
    service.app.addHook('onReady', async () => void catalog.current().catch(() => {}))
    addIodRoutes(service, models, catalog, config)
  })
