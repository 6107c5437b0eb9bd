import { foldHashtag, foldValue, HASHTAG_SIGNS } from '@iodine/contracts'
import { hashOf } from '@iodine/service-kit'
import type { QueryFilter } from 'mongoose'
import type { IodDoc } from '../models/iod.js'
import { foldKey } from '../policies/names.js'

/** Returns the lookup keys of the IODs that a folded value matches. */
export const keysOf = (folded: string): string[] =>
  HASHTAG_SIGNS.includes(folded.charAt(0)) ? [hashOf(folded), hashOf(foldHashtag(folded))] : [hashOf(folded)]

/** Returns the filter of the IODs that have one of the values; hashtags match with and without their sign. */
export const withValues = (values: readonly string[]): QueryFilter<IodDoc> => {
  const filled = values.filter(value => foldValue(value) !== '')
  const keys = (category: string) => [...new Set(filled.map(value => foldKey({ category, value })))]
  // The first branch also finds hashtags whose key contains the sign: old databases have such duplicates.
  const category = 'HASHTAGS'
  return { $or: [{ fold_key: { $in: keys('') } }, { category, fold_key: { $in: keys(category) } }] }
}
