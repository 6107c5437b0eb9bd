import { type Tlp, tlpOfRank } from '@iodine/contracts'
import type { IodModels } from '../../models.js'
import type { IodDoc } from '../models/iod.js'

/** Returns the levels of the IODs that imports have marked, by id; all others are omitted. */
export const findLevels = async (
  { iods }: Pick<IodModels, 'iods'>,
  ids: readonly string[],
): Promise<Record<string, Tlp>> => {
  const docs = await iods
    .find({ _id: { $in: ids }, tlp: { $exists: true } }, { tlp: 1 })
    .lean<Pick<IodDoc, '_id' | 'tlp'>[]>()
  return Object.fromEntries(
    docs.flatMap(({ _id, tlp }) => {
      const level = tlpOfRank(tlp)
      return level ? [[_id.toHexString(), level]] : []
    }),
  )
}
