import { type BodyOf, LIMITS, type recordImportsApi } from '@iodine/contracts'
import { conflict } from '@iodine/service-kit'
import type { Types } from 'mongoose'
import type { CollectorModels } from '../../models.js'
import { type RecordImportDoc, undoUntil } from '../models/record-import.js'

/**
 * Begins an import. Forgets the oldest one that can no longer be undone if the user has the maximum.
 * @throws QuotaExceeded if its new records exceed a quota
 * @throws HttpError 409 if all of the maximum number of imports can be undone
 */
export const createRecordImport = async (
  { imports, quotas }: Pick<CollectorModels, 'imports' | 'quotas'>,
  user_id: Types.ObjectId,
  { file_time, new_records, ...stated }: BodyOf<typeof recordImportsApi.createRecordImport>,
): Promise<RecordImportDoc> => {
  const [used, own] = await Promise.all([quotas.used(user_id), quotas.own(user_id)])
  const refusal = quotas.refusal(used, { records: new_records ?? stated.total }, own)
  if (refusal) throw refusal
  if ((await imports.countDocuments({ user_id })) >= LIMITS.recordImportsMax) {
    const oldest = await imports.findOne({ user_id }).sort({ created_at: 1, _id: 1 }).lean<RecordImportDoc>()
    if (!oldest || undoUntil(oldest) > new Date())
      throw conflict(`You have ${LIMITS.recordImportsMax} imports: undo some of them`)
    await imports.deleteOne({ _id: oldest._id })
  }
  const doc = await imports.create({
    user_id,
    ...stated,
    ...(file_time && { file_time }),
    state: 'open',
    received: 0,
    received_before: 0,
    created: 0,
    merged: 0,
    refused: [],
    created_at: new Date(),
  })
  return doc.toObject()
}
