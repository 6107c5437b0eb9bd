import { tlpOfRank } from '@iodine/contracts'
import type { CommentSubject } from '@iodine/service-kit'
import type { IodDoc, IodModel } from '../models/iod.js'

/** Returns what events about an IOD state; null for an unknown one, and for TLP:RED. */
export const watchedIod = async (iods: IodModel, id: string): Promise<CommentSubject | null> => {
  const doc = await iods.findById(id, { value: 1, tlp: 1 }).lean<Pick<IodDoc, 'value' | 'tlp'>>()
  const tlp = tlpOfRank(doc?.tlp)
  return !doc || tlp === 'red' ? null : { kind: 'iod', title: doc.value, tlp }
}
