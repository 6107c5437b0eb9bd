import { foldValue } from '@iodine/contracts'
import type { QueryFilter } from 'mongoose'
import type { IodDoc } from '../models/iod.js'
import { foldKey } from '../policies/names.js'

/** Selects the IODs that have one of the values; hashtags with and without their sign. */
export const withValues = (values: readonly string[]): QueryFilter<IodDoc> => {
  const filled = values.filter(value => foldValue(value) !== '')
  const keys = (category: string) => [...new Set(filled.map(value => foldKey({ category, value })))]
  // The first part also finds hashtags whose key has the sign: doubles from before it was left out.
  const category = 'HASHTAGS'
  return { $or: [{ fold_key: { $in: keys('') } }, { category, fold_key: { $in: keys(category) } }] }
}
