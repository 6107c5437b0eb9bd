import type { Queues } from '@iodine/service-kit'
import type { IodDoc, IodModels } from '../models/iod.js'
import { searchGrams, searchText } from '../queries/search.js'

const REPAIR_AFTER_MS = 5_000
const REPAIR_BATCH = 500

/**
 * Makes an IOD searchable and tells the other services of it, then notes that it did; each step may be repeated, so a
 * crash in between loses nothing.
 */
export const publishIod = async ({ iods, texts }: IodModels, queues: Queues, doc: IodDoc): Promise<void> => {
  const { _id, category, source_type, created_by, created_at } = doc
  const search = searchText(doc.value, doc.description)
  await texts.updateOne(
    { _id },
    { $setOnInsert: { category, source_type, created_by, created_at, search, grams: searchGrams(search) } },
    { upsert: true },
  )
  await queues.emit({
    type: 'iod.created',
    data: {
      id: _id.toHexString(),
      user_id: created_by.toHexString(),
      value: doc.value,
      category,
      description: doc.description,
      created_at: created_at.toISOString(),
    },
  })
  await iods.updateOne({ _id }, { $set: { announced: true } })
}

/** Publishes what a crash, or a Redis that was down, left unpublished. Returns how many. */
export const publishForgotten = async (models: IodModels, queues: Queues): Promise<number> => {
  const before = new Date(Date.now() - REPAIR_AFTER_MS)
  const docs = await models.iods
    .find({ announced: false, created_at: { $lt: before } })
    .limit(REPAIR_BATCH)
    .lean<IodDoc[]>()
  for (const doc of docs) await publishIod(models, queues, doc)
  return docs.length
}
