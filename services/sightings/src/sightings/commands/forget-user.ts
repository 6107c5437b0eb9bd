import type { Types } from 'mongoose'
import type { SightingModels } from '../../models.js'

/** Removes all data of a deleted user. The counts of the day's snapshot stay, without the user's id. */
export const eraseUser = async (
  { sightings, counting, counts, runs, edges }: SightingModels,
  owner: Types.ObjectId,
): Promise<void> => {
  await counting.deleteOne({ _id: owner })
  await sightings.deleteMany({ owner })
  // Other users' runs lose the edges that refer to the user's shared records.
  await edges.deleteMany({ $or: [{ owner }, { owners: owner }] })
  await runs.deleteMany({ owner })
  await counts.updateMany({ owners: owner }, { $pull: { owners: owner } })
}
