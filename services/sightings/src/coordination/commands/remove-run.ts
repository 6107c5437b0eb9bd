import type { Types } from 'mongoose'
import type { SightingModels } from '../../models.js'

/** Removes a run with its edges. A running one stops and stores no result. */
export const removeRun = async (
  { runs, edges }: Pick<SightingModels, 'runs' | 'edges'>,
  run: Types.ObjectId,
): Promise<void> => {
  await runs.deleteOne({ _id: run })
  await edges.deleteMany({ run })
}
