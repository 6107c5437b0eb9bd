import { type Connection, isDuplicateKey, type Quotas, type StoreService } from '@iodine/service-kit'
import type { ClientSession } from 'mongoose'
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

const CONFLICTS_MAX = 10

/**
 * Runs `work` all or nothing; the driver runs it again after a write conflict. Two transactions that insert the same
 * key may meet as a duplicate key instead: that is a conflict too.
 */
export const inTransaction = async <T>(
  { mongo }: Pick<Collections, 'mongo'>,
  work: (session: ClientSession) => Promise<T>,
): Promise<T> => {
  for (let conflicts = 1; ; conflicts++) {
    const session = await mongo.startSession()
    try {
      return await session.withTransaction(() => work(session))
    } catch (error) {
      if (!isDuplicateKey(error) || conflicts === CONFLICTS_MAX) throw error
    } finally {
      await session.endSession()
    }
  }
}
