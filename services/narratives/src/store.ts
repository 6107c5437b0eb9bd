import type { Connection, Quotas, StoreService } from '@iodine/service-kit'
import type { NarrativesConfig } from './config.js'
import { type CounterModel, createCounterModel } from './models/counter.js'
import { createEdgeModel, type EdgeModel } from './models/edge.js'
import { createNarrativeModel, type NarrativeModel } from './models/narrative.js'
import { createSourceModel, type SourceModel } from './models/source.js'
import { type Counted, createNarrativeQuotas } from './models/usage.js'

/** The service's collections. */
export interface Collections {
  mongo: Connection
  narratives: NarrativeModel
  edges: EdgeModel
  sources: SourceModel
  counters: CounterModel
}

/** The service with its collections: what commands and queries work on. */
export interface Store extends Collections {
  quotas: Quotas<Counted>
  service: StoreService
  /** Aborted when the service is about to close: what waits for long stops waiting. */
  closing: AbortSignal
}

export const createCollections = (mongo: Connection): Collections => ({
  mongo,
  narratives: createNarrativeModel(mongo),
  edges: createEdgeModel(mongo),
  sources: createSourceModel(mongo),
  counters: createCounterModel(mongo),
})

export const createStore = (
  service: StoreService,
  limits: Pick<NarrativesConfig, 'QUOTA_NARRATIVES'>,
): Store => {
  const closing = new AbortController()
  service.app.addHook('preClose', async () => closing.abort())
  const collections = createCollections(service.mongo)
  const quotas = createNarrativeQuotas(service.mongo, collections.narratives, limits)
  return { ...collections, quotas, service, closing: closing.signal }
}
