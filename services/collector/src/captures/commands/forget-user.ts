import { inTransaction } from '@iodine/service-kit'
import type { Types } from 'mongoose'
import type { CollectorStore } from '../../store.js'
import { forgetCaptures } from './erase-captures.js'

/** Deletes a deleted user's records, imports and unshared captures. */
export const eraseUser = async (store: CollectorStore, user_id: Types.ObjectId): Promise<void> => {
  const { mongo, records, removals, imports, quotas } = store
  await forgetCaptures(store, user_id)
  await inTransaction(mongo, async session => {
    // The quota document first, as in `ingest`, so that a concurrent ingest waits here.
    await quotas.forget(user_id, { session })
    await records.deleteMany({ user_id }, { session })
    await removals.deleteMany({ user_id }, { session })
    await imports.deleteMany({ user_id }, { session })
  })
}
