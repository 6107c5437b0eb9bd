import { isDuplicateKey, type StoreService } from '@iodine/service-kit'
import type { ClientSession } from 'mongoose'
import { type CounterModel, createCounterModel } from './models/counter.js'
import { createEdgeModel, type EdgeModel } from './models/edge.js'
import { createNarrativeModel, type NarrativeModel } from './models/narrative.js'

/** The service with its collections: what commands and queries work on. */
export interface Store {
  service: StoreService
  narratives: NarrativeModel
  edges: EdgeModel
  counters: CounterModel
  /** Aborted when the service is about to close: what waits for long stops waiting. */
  closing: AbortSignal
}

export const createStore = (service: StoreService): Store => {
  const closing = new AbortController()
  service.app.addHook('preClose', async () => closing.abort())
  return {
    service,
    narratives: createNarrativeModel(service.mongo),
    edges: createEdgeModel(service.mongo),
    counters: createCounterModel(service.mongo),
    closing: closing.signal,
  }
}

const CONFLICTS_MAX = 10

/**
 * Runs `work` all or nothing; the driver runs it again after a write conflict. Two transactions that insert the same
 * key may meet as a duplicate key instead: that is a conflict too.
 */
export const inTransaction = async <T>(
  { service }: Store,
  work: (session: ClientSession) => Promise<T>,
): Promise<T> => {
  for (let conflicts = 1; ; conflicts++) {
    const session = await service.mongo.startSession()
    try {
      return await session.withTransaction(() => work(session))
    } catch (error) {
      if (!isDuplicateKey(error) || conflicts === CONFLICTS_MAX) throw error
    } finally {
      await session.endSession()
    }
  }
}
