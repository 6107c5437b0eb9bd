import { type BodyOf, excerptOf, type ResponseOf, type recordsInternal } from '@iodine/contracts'
import { quotesOf } from '@iodine/likeness'
import { Types } from 'mongoose'
import type { CollectorModels } from '../../models.js'
import type { RecordDoc } from '../models/record.js'
import { postText } from '../presenters/sighting.js'

type OpenRequest = BodyOf<typeof recordsInternal.openRecords>

const quotedText = async (
  { records }: CollectorModels,
  { user_id, quoting }: OpenRequest,
): Promise<string> => {
  if (!quoting) return ''
  if ('text' in quoting) return quoting.text
  const doc = await records.findOne({ _id: quoting.record_id, user_id }).lean<RecordDoc>()
  return doc ? postText(doc) : ''
}

/** Returns the records that a user may see: the user's own, and those that are shared now. */
export const openRecords = async (
  models: CollectorModels,
  request: OpenRequest,
): Promise<ResponseOf<typeof recordsInternal.openRecords>> => {
  const { user_id, ids, excerpt, quoting } = request
  const quotes = quotesOf(await quotedText(models, request))
  const isRead = excerpt > 0 || quoting !== undefined
  const docs = models.records
    .find(
      {
        _id: { $in: ids.map(id => new Types.ObjectId(id)) },
        $or: [{ user_id: new Types.ObjectId(user_id) }, { shared: { $exists: true } }],
      },
      { user_id: 1, source: 1, shared: 1, ...(isRead && { data: 1 }) },
    )
    .lean<RecordDoc>()
    .cursor()
  const opened: ResponseOf<typeof recordsInternal.openRecords> = []
  for await (const doc of docs) {
    const text = isRead ? postText(doc) : ''
    opened.push({
      id: doc._id.toHexString(),
      user_id: doc.user_id.toHexString(),
      shared: doc.shared ?? null,
      excerpt: excerpt > 0 ? excerptOf(text, excerpt) : '',
      quotes: quoting ? quotes(text) : null,
    })
    // Yields to the event loop: there may be some thousand texts of 50,000 characters.
    if (quoting) await new Promise(setImmediate)
  }
  return opened
}
