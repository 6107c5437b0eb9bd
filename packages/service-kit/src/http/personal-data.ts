import { DONE, type PersonalItem, personalDataInternal, type QueryOf } from '@iodine/contracts'
import { type Model, type QueryFilter, Types } from 'mongoose'
import type { StoreService } from '../store-service.js'
import { jsonArray, readBatches } from './lists.js'

/** A collection with personal data. */
export interface PersonalSource {
  /** Name of one document's kind in the export. */
  kind: string
  documents(userId: Types.ObjectId): AsyncIterable<unknown>
}

/**
 * Creates the source of one model's documents.
 * @param present fields of a document that the export shows; all by default
 * @param fields fields that the model does not read by default, as `+name`
 */
export const personalSource = <D>(
  kind: string,
  model: Model<D>,
  filter: (userId: Types.ObjectId) => QueryFilter<D> | Promise<QueryFilter<D>>,
  present: (doc: D, userId: Types.ObjectId) => unknown = doc => doc,
  fields: `+${string}`[] = [],
): PersonalSource => ({
  kind,
  async *documents(userId) {
    const cursor = model
      .find(await filter(userId))
      .select(fields)
      .lean<D[]>()
      .cursor({ batchSize: 200 })
    for await (const doc of cursor as AsyncIterable<D>) yield present(doc, userId)
  },
})

async function* itemsOf(sources: PersonalSource[], userId: Types.ObjectId): AsyncGenerator<PersonalItem> {
  for (const { kind, documents } of sources) for await (const data of documents(userId)) yield { kind, data }
}

/** Serves the export of the personal data that a service stores. */
export const serveExport = (service: StoreService, sources: PersonalSource[]): void =>
  service.internal(personalDataInternal.exportUser, async ({ params }) => {
    const items = itemsOf(sources, new Types.ObjectId(params.id))
    return jsonArray(readBatches<PersonalItem>(items), batch => batch)
  })

/**
 * Serves the endpoints of a service with personal data: export, and erasure after the account is deleted.
 * `forget` must be idempotent: it runs again after a crash, and for data that a request under way added after
 * the first run.
 */
export const servePersonalData = (
  service: StoreService,
  {
    sources,
    forget,
  }: {
    sources: PersonalSource[]
    forget: (
      userId: Types.ObjectId,
      wishes: QueryOf<typeof personalDataInternal.eraseUser>,
    ) => Promise<unknown>
  },
): void => {
  serveExport(service, sources)
  service.internal(personalDataInternal.eraseUser, async ({ params: { id }, query }) => {
    await forget(new Types.ObjectId(id), query)
    await service.outbox.forget(id)
    return DONE
  })
}
