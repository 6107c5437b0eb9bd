import type { Connection } from '@iodine/service-kit'
import { createQuotas } from '@iodine/service-kit'
import { createCaptureModel } from './captures/models/capture.js'
import { createLogModels } from './captures/models/log.js'
import type { CollectorConfig } from './config.js'
import { createRecordImportModel } from './imports/models/record-import.js'
import { countRecords, createRecordModels, type RecordCounter } from './records/models/record.js'

/** Counters per user: quotas, and number of records by source. */
export type QuotaCounter = RecordCounter | 'capture_bytes'

type Limits = Pick<CollectorConfig, 'QUOTA_RECORDS' | 'QUOTA_RECORD_BYTES' | 'QUOTA_CAPTURE_BYTES'>

export const createModels = (
  mongo: Connection,
  { QUOTA_RECORDS, QUOTA_RECORD_BYTES, QUOTA_CAPTURE_BYTES }: Limits,
) => {
  const { records, removals } = createRecordModels(mongo)
  const imports = createRecordImportModel(mongo)
  const captures = createCaptureModel(mongo)
  const log = createLogModels(mongo)
  const quotas = createQuotas<QuotaCounter>({
    mongo,
    limits: {
      records: QUOTA_RECORDS,
      record_bytes: QUOTA_RECORD_BYTES,
      capture_bytes: QUOTA_CAPTURE_BYTES,
    },
    async owners() {
      const ids = await Promise.all([records.distinct('user_id'), captures.distinct('user_id')])
      return [...new Map(ids.flat().map(id => [String(id), id])).values()]
    },
    async count(user_id, session) {
      // Unowned captures of deleted accounts count towards no quota: no user can add to them.
      if (user_id === null) return {}
      const counted = await countRecords(records, user_id, session)
      const [sum] = await captures
        .aggregate<{ bytes: number }>([
          { $match: { user_id } },
          { $group: { _id: null, bytes: { $sum: '$bytes' } } },
        ])
        .session(session)
      return { ...counted, capture_bytes: sum?.bytes ?? 0 }
    },
  })
  return { mongo, records, removals, imports, captures, log, quotas }
}
export type CollectorModels = ReturnType<typeof createModels>
