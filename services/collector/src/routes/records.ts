import { collectorApi, type Source } from '@iodine/contracts'
import { createKeyedLimiter, type StoreService, sendList } from '@iodine/service-kit'
import { Types } from 'mongoose'
import { deleteRecord } from '../commands/delete-record.js'
import { ingest } from '../commands/ingest.js'
import type { CollectorModels } from '../models/index.js'
import type { RecordScope } from '../models/record.js'
import { presentRecords } from '../presenters/record.js'
import { containingText } from '../queries/search-records.js'

const scopeOf = (user: { id: string }, { source }: { source: Source }): RecordScope => ({
  user_id: new Types.ObjectId(user.id),
  source,
})

export const addRecordRoutes = (service: StoreService, models: CollectorModels): void => {
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
    return { results: await ingest(models, scopeOf(user, params), body.records, bytes) }
  })

  service.route(collectorApi.deleteRecord, async ({ params, user }) => {
    await deleteRecord(models, scopeOf(user, params), params.id)
    return { id: params.id }
  })
}
