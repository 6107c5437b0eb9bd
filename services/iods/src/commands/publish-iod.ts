import type { DomainEvent } from '@iodine/contracts'
import { type Peers, type Queues, tellCommunity } from '@iodine/service-kit'
import type { IodDoc, IodModel } from '../models/iod.js'
import type { LiveCatalog } from '../queries/live-catalog.js'

const REPAIR_AFTER_MS = 2_000
const REPAIR_BATCH = 500
/** How long notice is given to the workers before it is given again. */
const RECHECK_MS = 15_000

interface Publishing {
  iods: IodModel
  catalog: LiveCatalog
  queues: Queues
  peers: Peers
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

/** Tells the lists of an IOD, and has the workers see to it that the community learns of it; done twice it changes nothing. */
export const publishIod = async ({ catalog, queues }: Publishing, doc: IodDoc): Promise<void> => {
  await catalog.announce(doc)
  await giveNotice(queues, doc)
}

const giveNotice = (queues: Queues, { _id }: IodDoc): Promise<void> =>
  queues.emit({ type: 'iod.created', id: _id.toHexString() })

/** Tells the community of an IOD, then notes that it knows. Repeating it is harmless. */
export const announceIod = async ({ iods, peers }: Publishing, id: string): Promise<void> => {
  const doc = await iods.findById(id).lean<IodDoc>()
  if (!doc) return
  await tellCommunity(peers, eventsOfIod(doc), check_at =>
    iods.updateOne({ _id: doc._id }, { $max: { check_at } }),
  )
  await iods.updateOne({ _id: doc._id }, { $set: { announced: true }, $unset: { check_at: 1 } })
}

/**
 * Gives notice again of what the community does not know yet, because of a crash or of a Redis that was down or lost its
 * data. Returns of how many.
 */
export const publishForgotten = async ({ iods, catalog, queues }: Publishing): Promise<number> => {
  const room = await queues.roomForNotices()
  if (room === 0) return 0
  const now = Date.now()
  const docs = await iods
    .find({
      announced: false,
      created_at: { $lt: new Date(now - REPAIR_AFTER_MS) },
      check_at: { $not: { $gt: new Date(now) } },
    })
    .limit(Math.min(REPAIR_BATCH, room))
    .lean<IodDoc[]>()
  if (docs.length === 0) return 0
  await catalog.raise()
  for (const doc of docs) await giveNotice(queues, doc)
  await iods.updateMany(
    { _id: { $in: docs.map(({ _id }) => _id) }, announced: false },
    { $max: { check_at: new Date(now + RECHECK_MS) } },
  )
  return docs.length
}
