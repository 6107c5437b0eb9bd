import type { IodDoc, IodModel } from '../models/iod.js'
import { foldKey } from '../policies/names.js'

/** Returns the ids of the IODs with these categories and values, in the given order; null for an unknown one. */
export const findIods = async (
  iods: IodModel,
  wanted: readonly Pick<IodDoc, 'category' | 'value'>[],
): Promise<(string | null)[]> => {
  const keys = wanted.map(iod => ({ category: iod.category, fold_key: foldKey(iod) }))
  const docs = await iods
    .find({ fold_key: { $in: keys.map(({ fold_key }) => fold_key) } }, { fold_key: 1, category: 1 })
    .lean<Pick<IodDoc, '_id' | 'fold_key' | 'category'>[]>()
  const found = new Map(docs.map(doc => [`${doc.category} ${doc.fold_key}`, doc._id.toHexString()]))
  return keys.map(({ category, fold_key }) => found.get(`${category} ${fold_key}`) ?? null)
}
