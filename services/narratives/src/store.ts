import type { Connection, StoreService } from '@iodine/service-kit'
import type { NarrativesConfig } from './config.js'
import { type CounterDoc, counterSchema } from './models/counter.js'
import { type EdgeDoc, edgeSchema } from './models/edge.js'
import { type NarrativeDoc, narrativeSchema } from './models/narrative.js'
import { type SourceDoc, sourceSchema } from './models/source.js'
import { createNarrativeQuotas } from './models/usage.js'

export const createCollections = (mongo: Connection) => ({
  mongo,
  narratives: mongo.model<NarrativeDoc>('Narrative', narrativeSchema),
  edges: mongo.model<EdgeDoc>('Edge', edgeSchema),
  sources: mongo.model<SourceDoc>('Source', sourceSchema),
  counters: mongo.model<CounterDoc>('Counter', counterSchema),
})
export type Collections = ReturnType<typeof createCollections>

/** The service with its collections, as commands and queries use it. */
export interface Store extends Collections {
  quotas: ReturnType<typeof createNarrativeQuotas>
  service: StoreService
  /** Aborted at shutdown, so that long waits end. */
  closing: AbortSignal
}

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
