import {
  type BodyOf,
  collectorApi,
  type IngestResult,
  recordImportsApi,
  type Source,
} from '@iodine/contracts'
import { createKeyedLimiter, type StoreService, sendList } from '@iodine/service-kit'
import { Types } from 'mongoose'
import { checkPosition, countReceived } from '../../imports/commands/count-batch.js'
import { presentRecordImport } from '../../imports/presenters/record-import.js'
import { findRecordImport } from '../../imports/queries/find-record-import.js'
import type { CollectorStore } from '../../store.js'
import { deleteRecord } from '../commands/delete-record.js'
import { ingest } from '../commands/ingest.js'
import { shareRecords } from '../commands/share-records.js'
import { undoRecordImport } from '../commands/undo-import.js'
import type { RecordDoc, RecordScope } from '../models/record.js'
import { presentRecords } from '../presenters/record.js'
import { analyzedFilter } from '../queries/analyzed-records.js'
import { containedValues } from '../queries/contained-values.js'
import { knownKeys } from '../queries/known-keys.js'
import { containingText } from '../queries/search-records.js'

const scopeOf = (user: { id: string }, { source }: { source: Source }): RecordScope => ({
  user_id: new Types.ObjectId(user.id),
  source,
})

/**
 * Stores a batch of records, which may belong to an import.
 * @throws HttpError 404 for an unknown import, 409 and 422 as of `checkPosition`
 */
const ingestBatch = async (
  store: CollectorStore,
  scope: RecordScope,
  { records, import_id, offset }: BodyOf<typeof collectorApi.ingestRecords>,
  bytes: number,
): Promise<IngestResult[]> => {
  const { imports, ingesting, running } = store
  const run = import_id ? await findRecordImport(imports, scope.user_id, import_id) : undefined
  const at = offset ?? run?.received ?? 0
  if (run) {
    checkPosition(run, at, records.length)
    running.note(scope.user_id.toHexString(), at + records.length === run.total)
  }
  ingesting.count++
  const results = await ingest(store, { scope, run }, records, bytes).finally(() => {
    ingesting.count--
  })
  if (run && at === run.received) await countReceived(imports, run, results)
  return results
}

export const addRecordRoutes = (service: StoreService, store: CollectorStore): void => {
  const { records, quotas } = store
  /** A search reads all of a user's records of a source: one at a time for each user and source. A check of values reads all. */
  const searches = createKeyedLimiter()
  service.route(collectorApi.listRecords, async ({ params, query, user, reply }) => {
    const { q, import_id, limit, cursor, ...filters } = query
    const scope = {
      ...scopeOf(user, params),
      ...(import_id && { 'layers.imports.id': new Types.ObjectId(import_id) }),
    }
    const analyzed = analyzedFilter(filters)
    const list = { model: records, limit, cursor, present: presentRecords }
    if (q)
      return searches(`${user.id} ${params.source}`, () =>
        sendList(reply, {
          ...list,
          filter: { ...scope, ...analyzed, ...containingText(params.source, q) },
        }),
      )
    if (analyzed)
      return searches(`${user.id} ${params.source}`, () =>
        sendList(reply, { ...list, filter: { ...scope, ...analyzed } }),
      )
    if (import_id) return sendList(reply, { ...list, filter: scope })
    const total = async () => (await quotas.used(scope.user_id))[params.source] ?? 0
    return sendList(reply, { ...list, filter: scope, total })
  })

  service.route(collectorApi.ingestRecords, async ({ params, body, user, request }) => {
    const bytes = Number(request.headers['content-length'] ?? Number.NaN)
    return { results: await ingestBatch(store, scopeOf(user, params), body, bytes) }
  })

  service.route(collectorApi.knownRecords, ({ params, body, user }) =>
    knownKeys(store, scopeOf(user, params), body.keys),
  )

  service.route(collectorApi.containedValues, ({ body, user }) =>
    searches(user.id, () => containedValues(store, new Types.ObjectId(user.id), body.values)),
  )

  service.route(collectorApi.deleteRecord, async ({ params, user }) => {
    await deleteRecord(store, scopeOf(user, params), params.id)
    return { id: params.id }
  })

  service.route(recordImportsApi.undoRecordImport, async ({ params, user }) =>
    presentRecordImport(await undoRecordImport(store, new Types.ObjectId(user.id), params.id)),
  )

  service.route(collectorApi.shareRecords, async call => {
    const { params, body, user } = call
    const what = {
      action: body.shared ? 'records.shared' : 'records.unshared',
      subject: { kind: 'record' },
      count: new Set(body.ids).size,
      detail: (body.shared && body.as) || undefined,
    } as const
    await service.audit.during(call, what, () => shareRecords(store, scopeOf(user, params), body))
    return { ids: body.ids, shared: (body.shared && body.as) || null }
  })

  service.route(collectorApi.listShared, async ({ params, user }) => {
    const docs = await records
      .find({ ...scopeOf(user, params), shared: { $exists: true } }, { shared: 1 })
      .lean<(RecordDoc & Required<Pick<RecordDoc, 'shared'>>)[]>()
    return docs.map(({ _id, shared }) => ({ id: _id.toHexString(), shared }))
  })
}
