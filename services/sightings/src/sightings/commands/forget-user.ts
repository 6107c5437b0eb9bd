import type { Types } from 'mongoose'
import type { SightingModels } from '../../models.js'

/** Removes all of a deleted user. Numbers of the day's snapshot stay, without a trace of whom they count. */
export const forgetUser = async (
  { sightings, counting, counts, runs, edges }: SightingModels,
  owner: Types.ObjectId,
): Promise<void> => {
  await counting.deleteOne({ _id: owner })
  await sightings.deleteMany({ owner })
  // Others' runs that looked at the user's shared records lose what they found with these.
  await edges.deleteMany({ $or: [{ owner }, { owners: owner }] })
  await runs.deleteMany({ owner })
  await counts.updateMany({ owners: owner }, { $pull: { owners: owner } })
}
