import { type DomainEvent, historyInternal } from '@iodine/contracts'
import { type Model, type QueryFilter, Types } from 'mongoose'
import type { StoreService } from '../store-service.js'

const PAGE = 100

/**
 * Serves a service's documents as events, to rebuild projections.
 * @param filter the documents that projections may see
 * @param eventsOf the events that produce a document's present state
 */
export const serveHistory = <D extends { _id: Types.ObjectId }>(
  service: StoreService,
  model: Model<D>,
  filter: QueryFilter<D>,
  eventsOf: (doc: D) => DomainEvent[],
): void => {
  service.internal(historyInternal.listHistory, async ({ body: { after } }) => {
    const from = after === null ? {} : { _id: { $gt: new Types.ObjectId(after) } }
    const docs = await model
      .find({ ...filter, ...from } as QueryFilter<D>)
      .sort({ _id: 1 })
      .limit(PAGE)
      .lean<D[]>()
    const last = docs.length === PAGE ? docs.at(-1) : undefined
    return { events: docs.flatMap(eventsOf), next: last ? last._id.toHexString() : null }
  })

  service.internal(historyInternal.filterKnown, async ({ body: { ids } }) => {
    const docs = await model.find({ ...filter, _id: { $in: ids } } as QueryFilter<D>, { _id: 1 }).lean<D[]>()
    return { ids: docs.map(({ _id }) => _id.toHexString()) }
  })
}
