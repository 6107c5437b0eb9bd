import { type BodyOf, DETAILS, foldValue, type iodsApi } from '@iodine/contracts'
import { conflict, HttpError, hashOf, isDuplicateKey } from '@iodine/service-kit'
import { Types } from 'mongoose'
import type { IodsConfig } from '../config.js'
import { bytesOf, type IodDoc, type IodModels } from '../models/iod.js'

/** Lookup key of an IOD: a hash, as a value may exceed the size limit of an index key. */
export const foldKey = (value: string): string => hashOf(foldValue(value))

/** Limits of all users together. */
export type Caps = Pick<IodsConfig, 'QUOTA_ALL_IODS' | 'QUOTA_ALL_IOD_BYTES'>

/** Throws 409 when the category has the value, 413 when a quota of the creator or of all users is full. */
export const createIod = async (
  { iods, quotas }: Pick<IodModels, 'iods' | 'quotas'>,
  caps: Caps,
  userId: string,
  input: BodyOf<typeof iodsApi.createIod>,
): Promise<IodDoc> => {
  const { value, category, description, source_type, source = null, source_id = null } = input
  const created_by = new Types.ObjectId(userId)
  const doc: IodDoc = {
    _id: new Types.ObjectId(),
    value,
    category,
    description,
    source_type,
    source,
    source_id,
    created_by,
    created_at: new Date(),
    votes: [],
    fold_key: foldKey(value),
    announced: false,
  }
  const all = await quotas.totals()
  const iod_bytes = bytesOf(doc)
  if ((all.iods ?? 0) >= caps.QUOTA_ALL_IODS || (all.iod_bytes ?? 0) + iod_bytes > caps.QUOTA_ALL_IOD_BYTES)
    throw new HttpError(413, DETAILS.iodsFull)
  try {
    await quotas.change(created_by, { iods: 1, iods_today: 1, iod_bytes }, session =>
      iods.create([doc], { session }),
    )
  } catch (error) {
    throw isDuplicateKey(error) ? conflict(DETAILS.duplicateIod) : error
  }
  return doc
}
