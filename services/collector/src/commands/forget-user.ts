import { SOURCES } from '@iodine/contracts'
import type { Types } from 'mongoose'
import { countId, type RecordModels } from '../models/record.js'

/** Removes all that a deleted user collected. */
export const forgetUser = (
  { mongo, records, counts }: RecordModels,
  user_id: Types.ObjectId,
): Promise<unknown> =>
  mongo.transaction(async session => {
    // First, as an ingest does, so that one under way waits here.
    const ids = SOURCES.map(source => countId({ user_id, source }))
    await counts.deleteMany({ _id: { $in: ids } }, { session })
    await records.deleteMany({ user_id }, { session })
  })
