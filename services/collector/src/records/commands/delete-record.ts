import type { Source } from '@iodine/contracts'
import { type Kind, notFound } from '@iodine/service-kit'
import type { QueryFilter, Types } from 'mongoose'
import type { CollectorModels } from '../../models.js'
import type { RecordDoc, RecordScope } from '../models/record.js'
import type { RecordsChanged } from './sight-records.js'

/** A user's deleted records, whose captures have to be erased unless evidence cites them. */
export interface DeletedRecords {
  ids: string[]
  user_id: string
}
export interface DeletionContext extends Pick<CollectorModels, 'records' | 'removals' | 'quotas'> {
  recordsChanged: RecordsChanged
  deletedRecords: Kind<DeletedRecords>
}

/** Deletes at most `limit` of a user's records, in one transaction. Resolves to their number. */
export const deleteRecords = (
  { records, removals, quotas, recordsChanged, deletedRecords }: DeletionContext,
  user_id: Types.ObjectId,
  filter: QueryFilter<RecordDoc>,
  limit: number,
): Promise<number> =>
  quotas.settle(async (session, take) => {
    const docs = await records
      .find({ ...filter, user_id }, { bytes: 1, source: 1 })
      .limit(limit)
      .session(session)
      .lean<Pick<RecordDoc, '_id' | 'bytes' | 'source'>[]>()
    if (docs.length === 0) return 0
    await records.deleteMany({ _id: { $in: docs.map(({ _id }) => _id) } }, { session })
    await removals.insertMany(
      docs.map(({ _id }) => ({ _id, user_id })),
      { session },
    )
    await recordsChanged(user_id, session)
    // Enqueued even without captures in this snapshot: one may be sealed concurrently.
    const ids = docs.map(({ _id }) => _id.toHexString())
    await deletedRecords.add({ ids, user_id: user_id.toHexString() }, { session })
    const bytes = docs.reduce((sum, doc) => sum + doc.bytes, 0)
    const counts: Partial<Record<Source, number>> = {}
    for (const { source } of docs) counts[source] = (counts[source] ?? 0) - 1
    await take(user_id, { records: -docs.length, record_bytes: -bytes, ...counts })
    return docs.length
  })

/** Deletes one of the user's own records. @throws HttpError 404 for any other */
export const deleteRecord = async (
  context: DeletionContext,
  { user_id, source }: RecordScope,
  id: string,
): Promise<void> => {
  if ((await deleteRecords(context, user_id, { _id: id, source }, 1)) === 0) throw notFound()
}
