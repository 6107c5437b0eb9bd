import { type BodyOf, DETAILS, type iodsApi } from '@iodine/contracts'
import { conflict, isDuplicateKey } from '@iodine/service-kit'
import { Types } from 'mongoose'
import { bytesOf } from '../../models.js'
import type { IodStore } from '../../store.js'
import { type IodDoc, searchFields } from '../models/iod.js'
import { foldKey, iodUid } from '../policies/names.js'
import { termsOf } from '../policies/terms.js'

/** Returns the document of a new IOD. */
export const newIodDoc = (created_by: Types.ObjectId, input: BodyOf<typeof iodsApi.createIod>): IodDoc => {
  const { value, category, description, source_type, source = null, source_id = null } = input
  const now = new Date()
  return {
    _id: new Types.ObjectId(),
    ...searchFields(input),
    value,
    category,
    description,
    source_type,
    source,
    source_id,
    created_by,
    created_at: now,
    revision: now,
    votes: [],
    votes_total: 0,
    votes_disputed: 0,
    terms: termsOf(input),
    fold_key: foldKey(input),
    uid: iodUid(input),
  }
}

/** Creates an IOD. Throws 409 when the category has the value, 413 when a quota of the creator is full. */
export const createIod = async (
  { iods, tallies, quotas, newIods }: IodStore,
  userId: string,
  input: BodyOf<typeof iodsApi.createIod>,
): Promise<IodDoc> => {
  const created_by = new Types.ObjectId(userId)
  const doc = newIodDoc(created_by, input)
  const { category, source_type } = doc
  try {
    await quotas.change(created_by, { iods: 1, iods_today: 1, iod_bytes: bytesOf(doc) }, async session => {
      // Each attempt has its own revision: the transaction may be retried for minutes, but an attempt ends within one.
      await iods.create([{ ...doc, revision: new Date() }], { session })
      await tallies.create([{ category, source_type, n: 1 }], { session })
      await newIods.add({ id: doc._id.toHexString() }, { session })
    })
  } catch (error) {
    throw isDuplicateKey(error) ? conflict(DETAILS.duplicateIod) : error
  }
  return doc
}
