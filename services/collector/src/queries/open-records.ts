import { type BodyOf, cutText, type ResponseOf, type recordsInternal } from '@iodine/contracts'
import { Types } from 'mongoose'
import type { CollectorModels } from '../models/index.js'
import type { RecordDoc } from '../models/record.js'
import { postText } from '../presenters/sighting.js'

/** Those of the records that a user may see, as owner or because they are shared now. */
export const openRecords = async (
  { records }: CollectorModels,
  { user_id, ids, excerpt }: BodyOf<typeof recordsInternal.openRecords>,
): Promise<ResponseOf<typeof recordsInternal.openRecords>> => {
  const docs = await records
    .find(
      {
        _id: { $in: ids.map(id => new Types.ObjectId(id)) },
        $or: [{ user_id: new Types.ObjectId(user_id) }, { shared: { $exists: true } }],
      },
      { user_id: 1, source: 1, shared: 1, ...(excerpt > 0 && { data: 1 }) },
    )
    .lean<RecordDoc[]>()
  return docs.map(doc => ({
    id: doc._id.toHexString(),
    user_id: doc.user_id.toHexString(),
    shared: doc.shared ?? null,
    excerpt: excerpt > 0 ? cutText(postText(doc), excerpt) : '',
  }))
}
