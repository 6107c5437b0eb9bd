import { createHash } from 'node:crypto'
import { type BodyOf, DETAILS, foldValue, type iodsApi } from '@iodine/contracts'
import { conflict, isDuplicateKey } from '@iodine/service-kit'
import { Types } from 'mongoose'
import type { IodDoc, IodModel } from '../models/iod.js'

/** What an IOD is found by: a hash, as a value may be longer than an index takes. */
export const foldKey = (value: string): string =>
  createHash('sha256').update(foldValue(value)).digest('base64url')

/** Throws 409 when the category has the value already. */
export const createIod = async (
  model: IodModel,
  userId: string,
  input: BodyOf<typeof iodsApi.createIod>,
): Promise<IodDoc> => {
  const { value, category, description, source_type, source = null, source_id = null } = input
  const doc: IodDoc = {
    _id: new Types.ObjectId(),
    value,
    category,
    description,
    source_type,
    source,
    source_id,
    created_by: new Types.ObjectId(userId),
    created_at: new Date(),
    votes: [],
    fold_key: foldKey(value),
    announced: false,
  }
  try {
    await model.create(doc)
  } catch (error) {
    throw isDuplicateKey(error) ? conflict(DETAILS.duplicateIod) : error
  }
  return doc
}
