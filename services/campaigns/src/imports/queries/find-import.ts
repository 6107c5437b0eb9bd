import { DETAILS, IMPORT_STATES } from '@iodine/contracts'
import { HttpError, notFound } from '@iodine/service-kit'
import type { ImportDoc, ImportModel } from '../models/import.js'

/** Returns a user's own import, with fields that are not read by default. Throws 404. */
export const findImport = async (
  imports: ImportModel,
  userId: string,
  id: string,
  ...fields: `+${keyof ImportDoc}`[]
): Promise<ImportDoc> => {
  const doc = await imports
    .findOne({ _id: id, user_id: userId, state: { $in: [...IMPORT_STATES] } })
    .select(fields)
    .lean<ImportDoc>()
  if (!doc) throw notFound()
  return doc
}

export const importNotPlanned = () => new HttpError(409, DETAILS.importNotPlanned)
