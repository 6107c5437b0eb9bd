import type { DomainEvent } from '@iodine/contracts'
import type { Queues } from '@iodine/service-kit'
import type { IodDoc, IodModel } from '../models/iod.js'
import type { LiveCatalog } from '../queries/live-catalog.js'

const REPAIR_AFTER_MS = 2_000
const REPAIR_BATCH = 500

interface Publishing {
  iods: IodModel
  catalog: LiveCatalog
  queues: Queues
}

/** What an IOD tells other services; nothing, where nobody's, since the account was deleted. */
export const eventsOfIod = ({
  _id,
  value,
  category,
  description,
  created_by,
  created_at,
}: IodDoc): DomainEvent[] =>
  created_by
    ? [
        {
          type: 'iod.created',
          data: {
            id: _id.toHexString(),
            user_id: created_by.toHexString(),
            value,
            category,
            description,
            created_at: created_at.toISOString(),
          },
        },
      ]
    : []

/** Tells the lists and the other services of an IOD, then notes that it did; done twice it changes nothing. */
export const publishIod = async ({ iods, catalog, queues }: Publishing, doc: IodDoc): Promise<void> => {
  await catalog.announce(doc)
  for (const event of eventsOfIod(doc)) await queues.emit(event)
  await iods.updateOne({ _id: doc._id }, { $set: { announced: true } })
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
