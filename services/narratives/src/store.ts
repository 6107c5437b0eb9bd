import type { Kind, StoreService } from '@iodine/service-kit'
import { type Clusterings, clusteringWork } from './canon/commands/mark-canon.js'
import { type CanonReader, createCanonReader } from './canon/queries/canon-view.js'
import type { NarrativesConfig } from './config.js'
import { type SumsOutbox, summingWork } from './graph/commands/sum-graph.js'
import { createModels, type NarrativeModels } from './models.js'
import { extractionWork } from './narratives/commands/complete-extraction.js'
import { createNarrativeWork, type NarrativeWork } from './narratives/commands/narrative-work.js'
import { createWaits, type Waits } from './narratives/commands/waits.js'
import { createNumbers, type Numbers } from './narratives/models/counter.js'
import { createNarrativeQuotas } from './narratives/models/usage.js'

/** The service with its models and outbox kinds, for commands and queries. */
export interface Store extends NarrativeModels, NarrativeWork, Clusterings, SumsOutbox {
  /** Open narratives whose extraction job is checked, and added again if it was lost. */
  extractions: Kind<{ id: string }>
  quotas: ReturnType<typeof createNarrativeQuotas>
  /** Issues ids of triplets. */
  numbers: Numbers
  waits: Waits
  /** Reader of clusters and canonical narratives, cached while they are up to date. */
  canonReader: CanonReader
  service: StoreService
  /** Aborted at shutdown, so that long waits end. */
  closing: AbortSignal
}

export const createStore = (
  service: StoreService,
  limits: Pick<NarrativesConfig, 'QUOTA_NARRATIVES' | 'QUOTA_CANON_RULES'>,
): Store => {
  const closing = new AbortController()
  service.app.addHook('preClose', async () => closing.abort())
  const models = createModels(service.mongo)
  const { outbox } = service
  const pendingSums = outbox.kind('sums', summingWork(models))
  const store: Store = {
    ...models,
    ...createNarrativeWork(service, { ...models, pendingSums }),
    clusterings: outbox.kind('canon', clusteringWork(service, models)),
    pendingSums,
    extractions: outbox.kind(
      'extraction',
      extractionWork(() => store),
    ),
    quotas: createNarrativeQuotas(models, limits),
    numbers: createNumbers(models.counters, 'triplets'),
    waits: createWaits(),
    canonReader: createCanonReader(models),
    service,
    closing: closing.signal,
  }
  return store
}
