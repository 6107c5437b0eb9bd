import type { IodModels } from '../models/index.js'
import { RAISED } from '../models/iod.js'

/** IODs of this age are looked at: more than the repair is late while a version is replaced. */
const LOOKED_AT_MS = 10 * 60_000

/**
 * Gives a revision to new IODs that have none: those that the version before creates while it is replaced.
 * Resolves to their number.
 */
export const reviseNewIods = async ({ iods }: Pick<IodModels, 'iods'>): Promise<number> => {
  const created_at = { $gt: new Date(Date.now() - LOOKED_AT_MS) }
  const unrevised = { created_at, revision: null as never }
  if (!(await iods.exists(unrevised))) return 0
  const revise = [{ $set: { revision: RAISED } }]
  return (await iods.updateMany(unrevised, revise, { updatePipeline: true })).modifiedCount
}
