import { collectorApi, type Source } from '@iodine/contracts'
import {
  createTurns,
  personalSource,
  type StoreService,
  sendList,
  servePersonalData,
  serveRepair,
  serveUsage,
  watchStorage,
} from '@iodine/service-kit'
import { Types } from 'mongoose'
import { deleteRecord } from '../commands/delete-record.js'
import { forgetUser } from '../commands/forget-user.js'
import { ingest } from '../commands/ingest.js'
import type { CollectorConfig } from '../config.js'
import type { RecordModels, RecordScope } from '../models/record.js'
import { presentRecords } from '../presenters/record.js'
import { containingText } from '../queries/search-records.js'

const scopeOf = (user: { id: string }, { source }: { source: Source }): RecordScope => ({
  user_id: new Types.ObjectId(user.id),
  source,
})

export const addRecordRoutes = (
  service: StoreService,
  models: RecordModels,
  { STORAGE_ALARM_BYTES }: Pick<CollectorConfig, 'STORAGE_ALARM_BYTES'>,
): void => {
  const { quotas } = models
  /** A search reads all of a user's records of a source: one at a time for each. */
  const searches = createTurns()
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

  servePersonalData(service, {
    sources: [
      personalSource(
        'collected_record',
        models.records,
        user_id => ({ user_id }),
        doc => ({ source: doc.source, collected_at: doc.created_at, record: presentRecords([doc])[0] }),
      ),
    ],
    forget: userId => forgetUser(models, userId),
  })

  serveUsage(service, quotas)
  watchStorage(service, async () => {
    const { records: documents = 0, record_bytes: bytes = 0 } = await quotas.totals()
    return { documents, bytes, share: bytes / STORAGE_ALARM_BYTES }
  })
  serveRepair(service, () => quotas.repair())
}
