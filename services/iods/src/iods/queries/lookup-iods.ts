import { foldValue } from '@iodine/contracts'
import type { QueryFilter } from 'mongoose'
import type { IodDoc } from '../models/iod.js'
import { foldKey } from '../policies/names.js'

/** Returns the filter of the IODs that have one of the values; hashtags match with and without their sign. */
export const withValues = (values: readonly string[]): QueryFilter<IodDoc> => {
  const filled = values.filter(value => foldValue(value) !== '')
  const keys = (category: string) => [...new Set(filled.map(value => foldKey({ category, value })))]
  // The first branch also finds hashtags whose key contains the sign: old databases have such duplicates.
  const category = 'HASHTAGS'
  return { $or: [{ fold_key: { $in: keys('') } }, { category, fold_key: { $in: keys(category) } }] }
}
