import { type ServiceDeps, type StoreService, startStoreService } from '@iodine/service-kit'
import type { IodsConfig } from './config.js'
import { searchInDatabase } from './migrations/0001-search-in-database.js'
import { sparseGrams } from './migrations/0002-sparse-grams.js'
import { hashtagsWithoutSign } from './migrations/0003-hashtags-without-sign.js'
import { caseFolding } from './migrations/0004-case-folding.js'
import { outbox } from './migrations/0005-outbox.js'
import { addEvidenceRoutes } from './routes/evidence.js'
import { addIodRoutes } from './routes/iods.js'
import { createStore } from './store.js'

/** Indicators of disinformation (IODs) and their votes. */
export const createApp = (config: IodsConfig, deps?: ServiceDeps): Promise<StoreService> =>
  startStoreService(
    'iods',
    config,
    deps,
    service => {
      const store = createStore(service, config)
      addIodRoutes(service, store, config)
      addEvidenceRoutes(service, store)
    },
    [searchInDatabase, sparseGrams, hashtagsWithoutSign, caseFolding, outbox],
  )
