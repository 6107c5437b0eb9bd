import type { Queues } from '@iodine/service-kit'
import type { IodDoc, IodModel } from '../models/iod.js'
import type { LiveCatalog } from '../queries/live-catalog.js'

const REPAIR_AFTER_MS = 5_000
const REPAIR_BATCH = 500

interface Publishing {
  iods: IodModel
  catalog: LiveCatalog
  queues: Queues
}

/** Tells the lists and the other services of an IOD, then notes that it did; done twice it changes nothing. */
export const publishIod = async ({ iods, catalog, queues }: Publishing, doc: IodDoc): Promise<void> => {
  const { _id, category, created_by, created_at } = doc
  await catalog.announce(doc)
  // Nobody's contribution any more, where the account was deleted meanwhile.
  if (created_by)
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
export const publishForgotten = async (publishing: Publishing): Promise<number> => {
  const before = new Date(Date.now() - REPAIR_AFTER_MS)
  const docs = await publishing.iods
    .find({ announced: false, created_at: { $lt: before } })
    .limit(REPAIR_BATCH)
    .lean<IodDoc[]>()
  for (const doc of docs) await publishIod(publishing, doc)
  return docs.length
}
