import type { Types } from 'mongoose'
import type { SightingModels } from '../../models.js'

/** Removes a run and what it found. A run that is under way ends without a trace. */
export const removeRun = async (
  { runs, edges }: Pick<SightingModels, 'runs' | 'edges'>,
  run: Types.ObjectId,
): Promise<void> => {
  await runs.deleteOne({ _id: run })
  await edges.deleteMany({ run })
}
