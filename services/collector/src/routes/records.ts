import { collectorApi, type Source } from '@iodine/contracts'
import { createKeyedLimiter, type StoreService, sendList } from '@iodine/service-kit'
import { Types } from 'mongoose'
import { deleteRecord } from '../commands/delete-record.js'
import { ingest } from '../commands/ingest.js'
import { shareRecords } from '../commands/share-records.js'
import { queueSightings } from '../commands/sight-records.js'
import type { CollectorModels } from '../models/index.js'
import type { RecordDoc, RecordScope } from '../models/record.js'
import { presentRecords } from '../presenters/record.js'
import { containingText } from '../queries/search-records.js'

const scopeOf = (user: { id: string }, { source }: { source: Source }): RecordScope => ({
  user_id: new Types.ObjectId(user.id),
  source,
})

export const addRecordRoutes = (
  service: StoreService,
  models: CollectorModels,
  ingesting: { count: number },
): void => {
  const { quotas } = models
  /** A search reads all of a user's records of a source: one at a time for each. */
  const searches = createKeyedLimiter()
  service.route(collectorApi.listRecords, async ({ params, query: { q, limit, cursor }, user, reply }) => {
    const scope = scopeOf(user, params)
    const list = { model: models.records, limit, cursor, present: presentRecords }
    if (q)
      return searches(`${user.id} ${params.source}`, () =>
        sendList(reply, { ...list, filter: { ...scope, ...containingText(params.source, q) } }),
      )
    const total = async () => (await quotas.used(scope.user_id))[params.source] ?? 0
    return sendList(reply, { ...list, filter: scope, total })
  })

  service.route(collectorApi.ingestRecords, async ({ params, body, user, request }) => {
    const bytes = Number(request.headers['content-length'] ?? Number.NaN)
    const scope = scopeOf(user, params)
    ingesting.count++
    const results = await ingest(models, scope, body.records, bytes).finally(() => {
      ingesting.count--
    })
    // Not waited for: the records are stored, and the repair adds what is missing.
    if (results.some(result => 'status' in result && result.status !== 'unchanged'))
      void queueSightings(service, scope.user_id)
    return { results }
  })

  service.route(collectorApi.deleteRecord, async ({ params, user }) => {
    const scope = scopeOf(user, params)
    await deleteRecord(models, scope, params.id)
    void queueSightings(service, scope.user_id)
    return { id: params.id }
  })

  service.route(collectorApi.shareRecords, async call => {
    const { params, body, user } = call
    const scope = scopeOf(user, params)
    const what = {
      action: body.shared ? 'records.shared' : 'records.unshared',
      subject: { kind: 'record' },
      count: new Set(body.ids).size,
      detail: (body.shared && body.as) || undefined,
    } as const
    await service.audit.during(call, what, () => shareRecords(models, scope, body))
    void queueSightings(service, scope.user_id)
    return { ids: body.ids, shared: (body.shared && body.as) || null }
  })

  service.route(collectorApi.listShared, async ({ params, user }) => {
    const docs = await models.records
      .find({ ...scopeOf(user, params), shared: { $exists: true } }, { shared: 1 })
      .lean<(RecordDoc & Required<Pick<RecordDoc, 'shared'>>)[]>()
    return docs.map(({ _id, shared }) => ({ id: _id.toHexString(), shared }))
  })
}
