import type { BodyOf, collectorApi } from '@iodine/contracts'
import { inTransaction, notFound } from '@iodine/service-kit'
import { Types } from 'mongoose'
import type { CollectorStore } from '../../store.js'
import type { RecordScope } from '../models/record.js'

/**
 * Shares or unshares a user's own records. Takes effect at once, because searches query the current state.
 * @throws HttpError 404 if one of the records is not the user's
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
