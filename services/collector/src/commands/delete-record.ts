import { notFound } from '@iodine/service-kit'
import type { RecordDoc, RecordModels, Shelf } from '../models/record.js'

/** Deletes one of a user's own records. Throws 404 for any other. */
export const deleteRecord = async (
  { records, quotas }: RecordModels,
  shelf: Shelf,
  id: string,
): Promise<void> => {
  await quotas.settle(async (session, take) => {
    const deleted = await records
      .findOneAndDelete({ _id: id, ...shelf }, { session, projection: { bytes: 1 } })
      .lean<Pick<RecordDoc, 'bytes'>>()
    if (!deleted) throw notFound()
    await take(shelf.user_id, { records: -1, record_bytes: -(deleted.bytes ?? 0), [shelf.source]: -1 })
  })
}
