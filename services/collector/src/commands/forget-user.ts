import { inTransaction } from '@iodine/service-kit'
import type { Types } from 'mongoose'
import type { RecordModels } from '../models/record.js'

/** Removes all that a deleted user collected. */
export const forgetUser = (
  { mongo, records, quotas }: RecordModels,
  user_id: Types.ObjectId,
): Promise<unknown> =>
  inTransaction(mongo, async session => {
    // First, as an ingest does, so that one under way waits here.
    await quotas.forget(user_id, { session })
    await records.deleteMany({ user_id }, { session })
  })
