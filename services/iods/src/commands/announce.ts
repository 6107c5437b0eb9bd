import type { Queues } from '@iodine/service-kit'
import type { IodDoc, IodModel } from '../models/iod.js'

const REPAIR_AFTER_MS = 5_000
const REPAIR_BATCH = 500

/** Tells the other services of an IOD, then notes that it did; a crash in between makes a double, which they ignore. */
export const announceIod = async (model: IodModel, queues: Queues, doc: IodDoc): Promise<void> => {
  await queues.emit({
    type: 'iod.created',
    data: {
      id: doc._id.toHexString(),
      user_id: doc.created_by.toHexString(),
      value: doc.value,
      category: doc.category,
      description: doc.description,
      created_at: doc.created_at.toISOString(),
    },
  })
  await model.updateOne({ _id: doc._id }, { $set: { announced: true } })
}

/** Announces what a crash, or a Redis that was down, left unannounced. Returns how many. */
export const repairAnnouncements = async (model: IodModel, queues: Queues): Promise<number> => {
  const before = new Date(Date.now() - REPAIR_AFTER_MS)
  const docs = await model
    .find({ announced: false, created_at: { $lt: before } })
    .limit(REPAIR_BATCH)
    .lean<IodDoc[]>()
  for (const doc of docs) await announceIod(model, queues, doc)
  return docs.length
}
