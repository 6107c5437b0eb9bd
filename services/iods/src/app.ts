import { type ServiceDeps, type StoreService, startStoreService } from '@iodine/service-kit'
import type { IodsConfig } from './config.js'
import { searchInDatabase } from './migrations/0001-search-in-database.js'
import { sparseGrams } from './migrations/0002-sparse-grams.js'
import { hashtagsWithoutSign } from './migrations/0003-hashtags-without-sign.js'
import { createModels } from './models/index.js'
import { addIodRoutes } from './routes/iods.js'

/** Indicators of disinformation (IODs) and their votes. */
export const createApp = (config: IodsConfig, deps?: ServiceDeps): Promise<StoreService> =>
  startStoreService(
    'iods',
    config,
    deps,
    service => addIodRoutes(service, createModels(service.mongo, config), config),
    [searchInDatabase, sparseGrams, hashtagsWithoutSign],
  )
