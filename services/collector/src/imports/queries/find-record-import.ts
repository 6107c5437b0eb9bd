import { notFound } from '@iodine/service-kit'
import type { Model, Types } from 'mongoose'
import type { RecordImportDoc } from '../models/record-import.js'

/** Returns an import of the user. @throws HttpError 404 for any other */
export const findRecordImport = async (
  imports: Model<RecordImportDoc>,
  user_id: Types.ObjectId,
  id: string,
): Promise<RecordImportDoc> => {
  const doc = await imports.findOne({ _id: id, user_id }).lean<RecordImportDoc>()
  if (!doc) throw notFound()
  return doc
}
