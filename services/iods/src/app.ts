import { type ServiceDeps, type StoreService, startStoreService } from '@iodine/service-kit'
import type { IodsConfig } from './config.js'
import { searchInDatabase } from './migrations/0001-search-in-database.js'
import { sparseGrams } from './migrations/0002-sparse-grams.js'
import { hashtagsWithoutSign } from './migrations/0003-hashtags-without-sign.js'
import { caseFolding } from './migrations/0004-case-folding.js'
import { createModels } from './models/index.js'
import { addEvidenceRoutes } from './routes/evidence.js'
import { addIodRoutes } from './routes/iods.js'

/** Indicators of disinformation (IODs) and their votes. */
export const createApp = (config: IodsConfig, deps?: ServiceDeps): Promise<StoreService> =>
  startStoreService(
    'iods',
    config,
    deps,
    service => {
      const models = createModels(service.mongo, config)
      addIodRoutes(service, models, config)
      addEvidenceRoutes(service, models)
    },
    [searchInDatabase, sparseGrams, hashtagsWithoutSign, caseFolding],
  )
