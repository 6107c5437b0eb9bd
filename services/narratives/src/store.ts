import type { StoreService } from '@iodine/service-kit'
import { createWaits, type Waits } from './commands/waits.js'
import type { NarrativesConfig } from './config.js'
import { createNumbers, type Numbers } from './models/counter.js'
import { createModels, type NarrativeModels } from './models/index.js'
import { createNarrativeQuotas } from './models/usage.js'

/** The service with its models, as commands and queries use it. */
export interface Store extends NarrativeModels {
  quotas: ReturnType<typeof createNarrativeQuotas>
  /** Ids of triplets. */
  numbers: Numbers
  waits: Waits
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
  const models = createModels(service.mongo)
  const quotas = createNarrativeQuotas(service.mongo, models.narratives, limits)
  const numbers = createNumbers(models.counters, 'triplets')
  return { ...models, quotas, numbers, waits: createWaits(), service, closing: closing.signal }
}
