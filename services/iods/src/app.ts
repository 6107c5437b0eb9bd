import { createStoreService, prepareModels, type ServiceDeps, type StoreService } from '@iodine/service-kit'
import type { IodsConfig } from './config.js'
import { createModel } from './models/iod.js'
import { createLiveCatalog } from './queries/live-catalog.js'
import { addIodRoutes } from './routes/iods.js'

/** Indicators of disinformation and the votes on them. */
export const createApp = async (config: IodsConfig, deps: ServiceDeps = {}): Promise<StoreService> => {
  const service = await createStoreService('iods', config, deps)
  try {
    const iods = createModel(service.mongo)
    await prepareModels(service.mongo)
    const catalog = createLiveCatalog(iods, service)
    // Reading it all in begins now, not with the first request.
    service.readyWhen('catalog', () => catalog.current())
    catalog.current().catch(() => {})
    addIodRoutes(service, iods, catalog)
  } catch (error) {
    await service.close()
    throw error
  }
  return service
}
