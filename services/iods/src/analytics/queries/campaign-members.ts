import type { Types } from 'mongoose'
import type { IodDoc, IodModel } from '../../iods/models/iod.js'

/** Returns the ids and times of creation of IODs; unknown ones are omitted. */
export const creationsOf = (
  iods: IodModel,
  ids: Types.ObjectId[],
): Promise<Pick<IodDoc, '_id' | 'created_at'>[]> =>
  iods.find({ _id: { $in: ids } }, { created_at: 1 }).lean<Pick<IodDoc, '_id' | 'created_at'>[]>()
