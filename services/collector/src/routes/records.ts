import { collectorApi } from '@iodine/contracts'
import { notFound, type StoreService, sendList } from '@iodine/service-kit'
import { Types } from 'mongoose'
import { ingest } from '../commands/ingest.js'
import type { RecordModel } from '../models/record.js'
import { presentRecords } from '../presenters/record.js'

export const addRecordRoutes = (service: StoreService, records: RecordModel): void => {
  service.route(collectorApi.listRecords, async ({ params, query, user, reply }) =>
    sendList(reply, {
      model: records,
      filter: { user_id: new Types.ObjectId(user.id), source: params.source },
      limit: query.limit,
      cursor: query.cursor,
      present: presentRecords,
    }),
  )

  service.route(collectorApi.ingestRecords, async ({ params, body, user }) => ({
    results: await ingest(records, user.id, params.source, body.records),
  }))

  service.route(collectorApi.deleteRecord, async ({ params, user }) => {
    const { deletedCount } = await records.deleteOne({
      _id: params.id,
      user_id: user.id,
      source: params.source,
    })
    if (deletedCount === 0) throw notFound()
    return { id: params.id }
  })
}
