import type { BodyOf, collectorApi } from '@iodine/contracts'
import { inTransaction, notFound } from '@iodine/service-kit'
import { Types } from 'mongoose'
import type { CollectorStore } from '../../store.js'
import type { RecordScope } from '../models/record.js'

/**
 * Shares a user's own records, or stops it. Searches ask for what is shared now, so that it is undone at once.
 * Throws 404 if one of them is not the user's.
 */
export const shareRecords = async (
  { mongo, records, recordsChanged }: CollectorStore,
  scope: RecordScope,
  { ids, shared, as }: BodyOf<typeof collectorApi.shareRecords>,
): Promise<void> => {
  const unique = [...new Set(ids.map(id => id.toLowerCase()))].map(id => new Types.ObjectId(id))
  const filter = { _id: { $in: unique }, ...scope }
  const change =
    shared && as
      ? { $set: { shared: as, sighted: false } }
      : { $set: { sighted: false }, $unset: { shared: 1 } }
  await inTransaction(mongo, async session => {
    const { matchedCount } = await records.updateMany(filter, change, { session })
    if (matchedCount !== unique.length) throw notFound()
    await recordsChanged(scope.user_id, session)
  })
}
