import { createStoreService, prepareDatabase, type ServiceDeps, type StoreService } from '@iodine/service-kit'
import type { IodsConfig } from './config.js'
import { migrations } from './migrations/index.js'
import { createModels } from './models/iod.js'
import { createLiveCatalog } from './queries/live-catalog.js'
import { addIodRoutes } from './routes/iods.js'

/** Indicators of disinformation and the votes on them. */
export const createApp = async (config: IodsConfig, deps: ServiceDeps = {}): Promise<StoreService> => {
  const service = await createStoreService('iods', config, deps)
  try {
    const models = createModels(service.mongo, config)
    await prepareDatabase(service, migrations)
    const catalog = createLiveCatalog(models, service)
    // Reading it all in begins now, not with the first request.
    service.readyWhen('catalog', () => catalog.current())
    catalog.current().catch(() => {})
    addIodRoutes(service, models, catalog, config)
  } catch (error) {
    await service.close()
    throw error
  }
  return service
}
