import { mergeRecords } from '@iodine/contracts'
import { type Connection, inTransaction } from '@iodine/service-kit'
import type { Types } from 'mongoose'
import type { CaptureDoc } from '../captures/models/capture.js'
import { bytesOf, isTooLarge, type RecordDoc, type RemovalDoc } from '../records/models/record.js'
import { packRecord, unpackRecord } from '../records/presenters/record.js'

/**
 * Changes the key of a stored record. If the user has another record with that key, both are merged by `MERGE_RULES`
 * into the older document, which takes over the captures. The merged record is shared only if both were, anonymously if
 * one was. Idempotent.
 */
export const moveRecord = (mongo: Connection, _id: Types.ObjectId, key: string): Promise<void> =>
  inTransaction(mongo, async session => {
    const records = mongo.collection<RecordDoc>('records')
    const moved = await records.findOne({ _id }, { session })
    if (!moved || moved.key === key) return
    const { user_id, source } = moved
    const holder = await records.findOne({ user_id, source, key }, { session })
    if (!holder) {
      await records.updateOne({ _id }, { $set: { key, sighted: false } }, { session })
      return
    }
    const [first, second] = [holder, moved].sort(
      (a, b) => a.created_at.getTime() - b.created_at.getTime() || (a._id < b._id ? -1 : 1),
    ) as [RecordDoc, RecordDoc]
    const { record, seen } = mergeRecords(
      { record: unpackRecord(first), seen: first.seen },
      { record: unpackRecord(second), seen: second.seen },
    )
    const data = packRecord(record)
    // Both records keep their keys if the merged one would exceed MongoDB's limit.
    if (isTooLarge({ data, seen })) return
    const bytes = bytesOf(data, seen)
    const shared =
      first.shared &&
      second.shared &&
      (first.shared === second.shared ? first.shared : ('anonymous' as const))
    await records.deleteOne({ _id: second._id }, { session })
    const unset = { ...(!seen && { seen: 1 as const }), ...(!shared && { shared: 1 as const }) }
    await records.updateOne(
      { _id: first._id },
      {
        $set: {
          key,
          data,
          bytes,
          fetched_at: new Date(record.collector_metadata.fetch_timestamp),
          revision: (first.revision ?? 0) + 1,
          sighted: false,
          ...(seen && { seen }),
          ...(shared && { shared }),
        },
        ...(Object.keys(unset).length > 0 && { $unset: unset }),
      },
      { session },
    )
    await mongo
      .collection<RemovalDoc>('removals')
      .updateOne({ _id: second._id }, { $set: { user_id } }, { session, upsert: true })
    await mongo
      .collection<CaptureDoc>('captures')
      .updateMany({ user_id, record_id: second._id }, { $set: { record_id: first._id } }, { session })
    const freed = bytes - first.bytes - second.bytes
    await mongo
      .collection<{ _id: string }>('usage')
      .updateOne(
        { _id: user_id.toHexString() },
        { $inc: { 'used.records': -1, [`used.${source}`]: -1, 'used.record_bytes': freed } },
        { session },
      )
  })
