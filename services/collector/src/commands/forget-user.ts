import { inTransaction } from '@iodine/service-kit'
import type { Types } from 'mongoose'
import type { RecordModels } from '../models/record.js'

/** Deletes all records of a deleted user. */
export const forgetUser = (
  { mongo, records, quotas }: RecordModels,
  user_id: Types.ObjectId,
): Promise<unknown> =>
  inTransaction(mongo, async session => {
    // The quota document first, in the same order as `ingest`, so that a concurrent ingest waits here.
    await quotas.forget(user_id, { session })
    await records.deleteMany({ user_id }, { session })
  })
