import { notFound } from '@iodine/service-kit'
import type { CollectorStore } from '../../store.js'
import type { RecordDoc, RecordScope } from '../models/record.js'

/** Deletes one of the user's own records. @throws HttpError 404 for any other */
export const deleteRecord = async (
  { records, removals, quotas, recordsChanged, deletedRecords }: CollectorStore,
  scope: RecordScope,
  id: string,
): Promise<void> => {
  await quotas.settle(async (session, take) => {
    const deleted = await records
      .findOneAndDelete({ _id: id, ...scope }, { session, projection: { bytes: 1 } })
      .lean<Pick<RecordDoc, '_id' | 'bytes'>>()
    if (!deleted) throw notFound()
    await removals.create([{ _id: deleted._id, user_id: scope.user_id }], { session })
    await recordsChanged(scope.user_id, session)
    // Enqueued even without captures in this snapshot: one may be sealed concurrently.
    await deletedRecords.add({ id, user_id: scope.user_id.toHexString() }, { session })
    await take(scope.user_id, { records: -1, record_bytes: -deleted.bytes, [scope.source]: -1 })
  })
}
