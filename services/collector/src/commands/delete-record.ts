import { notFound } from '@iodine/service-kit'
import type { RecordDoc, RecordModels, RecordScope } from '../models/record.js'

/** Deletes one of the user's own records. Throws 404 for any other. */
export const deleteRecord = async (
  { records, quotas }: RecordModels,
  scope: RecordScope,
  id: string,
): Promise<void> => {
  await quotas.settle(async (session, take) => {
    const deleted = await records
      .findOneAndDelete({ _id: id, ...scope }, { session, projection: { bytes: 1 } })
      .lean<Pick<RecordDoc, 'bytes'>>()
    if (!deleted) throw notFound()
    await take(scope.user_id, { records: -1, record_bytes: -(deleted.bytes ?? 0), [scope.source]: -1 })
  })
}
