import type { Kind, StoreService } from '@iodine/service-kit'
import { extractionWork } from './commands/complete-extraction.js'
import { type Clusterings, clusteringWork } from './commands/mark-canon.js'
import { createNarrativeWork, type NarrativeWork } from './commands/narrative-work.js'
import { type Summing, summingWork } from './commands/sum-graph.js'
import { createWaits, type Waits } from './commands/waits.js'
import type { NarrativesConfig } from './config.js'
import { createNumbers, type Numbers } from './models/counter.js'
import { createModels, type NarrativeModels } from './models/index.js'
import { createNarrativeQuotas } from './models/usage.js'
import { type CanonReader, createCanonReader } from './queries/canon-view.js'

/** The service with its models, as commands and queries use it. */
export interface Store extends NarrativeModels, NarrativeWork, Clusterings, Summing {
  /** Open narratives; each gets a job again when its job is lost. */
  extractions: Kind<{ id: string }>
  quotas: ReturnType<typeof createNarrativeQuotas>
  /** Ids of triplets. */
  numbers: Numbers
  waits: Waits
  /** Clusters and canonical narratives, kept while they are up to date. */
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
  const wantedSums = outbox.kind('sums', summingWork(models))
  const store: Store = {
    ...models,
    ...createNarrativeWork(service, { ...models, wantedSums }),
    clusterings: outbox.kind('canon', clusteringWork(service, models)),
    wantedSums,
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
