import type { StoreService } from '@iodine/service-kit'
import { createRecordsChanged, type RecordsChanged } from './commands/sight-records.js'
import type { CollectorConfig } from './config.js'
import { type CollectorModels, createModels } from './models/index.js'

/** The service's models, with its work that is done after a change. */
export interface CollectorStore extends CollectorModels {
  recordsChanged: RecordsChanged
  /** Batches that are being handed in to this process. */
  ingesting: { count: number }
}

export const createStore = (service: StoreService, config: CollectorConfig): CollectorStore => {
  const models = createModels(service.mongo, config)
  const ingesting = { count: 0 }
  return { ...models, ingesting, recordsChanged: createRecordsChanged(service, models, ingesting) }
}
